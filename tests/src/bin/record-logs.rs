//! Writes containerd's logs and recorded deprecations of an old and a new plugin to
//! `fixtures/logs`.
//!
//! Lines about loading containerd's own plugins are omitted, and names of the machine are replaced.
//! Run it by hand when a release is added, and review its result.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use nri_tests::containerd;
use nri_tests::node::Launched;
use nri_tests::peers;

/// The name of the recording, and the NRI release of the plugin.
const PLUGINS: [(&str, &str); 2] = [("old", "v0.11.0"), ("new", "v0.12.5")];

/// The name of the log format, and its configuration.
const FORMATS: [(&str, &str); 2] = [("logfmt", ""), ("json", "[debug]\nformat = \"json\"\n")];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    fs::create_dir_all(&folder).expect("fixtures are writable");
    for release in peers::CONTAINERD_RELEASES {
        for (age, nri) in PLUGINS {
            for (format, tables) in FORMATS {
                let stem = format!("containerd-{release}-{age}-plugin");
                record(&folder, &stem, release, nri, (format, tables));
            }
        }
    }
}

fn record(folder: &Path, stem: &str, release: &str, nri: &str, (format, tables): (&str, &str)) {
    let executable = peers::plugin(nri);
    let plugin = Launched { full_name: "10-template", executable: &executable, config: "" };
    let mut containerd = containerd::start_with(release, &[plugin], tables);
    for pod in ["first", "second"] {
        containerd.lifecycle(pod);
    }
    let name = containerd.folder().to_string_lossy().into_owned();
    let kept: Vec<String> = containerd
        .log()
        .iter()
        .filter(|line| is_kept(line))
        .map(|line| neutral(line, &name))
        .collect();
    let write = |suffix: &str, text: String| {
        fs::write(folder.join(format!("{stem}.{suffix}")), text).expect("fixtures are writable");
    };
    write(&format!("{format}.log"), kept.join("\n") + "\n");
    if format == "logfmt" {
        write("deprecations.json", containerd::deprecations(&containerd));
        write("deprecations.txt", containerd::ctr(&containerd, &["deprecations", "list"]));
    }
}

fn is_kept(line: &str) -> bool {
    const LEFT_OUT: [&str; 8] = [
        "loading plugin",
        "skip loading plugin",
        "starting cri plugin",
        "failed to load cni",
        "fsverity",
        "snapshotter",
        "revision",
        "ImageCreate",
    ];
    !LEFT_OUT.iter().any(|text| line.contains(text))
}

/// Returns the folder and the process id, which are all that identifies the machine.
fn neutral(line: &str, folder: &str) -> String {
    let line = line.replace(folder, "/run/containerd-test");
    match line.split_once("template[") {
        Some((before, after)) if after.contains(']') => {
            let rest = after.split_once(']').map_or("", |(_, rest)| rest);
            format!("{before}template[4242]{rest}")
        }
        _ => line,
    }
}
