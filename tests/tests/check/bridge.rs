//! Old Go plugins behind the real `nri-bridge`: in a plugin folder, as processes, and in a
//! DaemonSet.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nri_compat::check::assess::assess;
use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::check::target::Target;
use nri_compat::report::check::Outcome;
use nri_schema::history::History;
use nri_tests::peers;
use nri_tests::registry::{Image, Images, Registry, gzip, layer};

use super::manifest_images;

const BRIDGE: &str = env!("CARGO_BIN_EXE_bridge");

/// Returns the name, the verdict under containerd 2.7 and the evidence of each plugin.
fn judged(request: Request<'_>) -> Vec<(String, Outcome, String)> {
    let history = History::embedded().expect("the history of NRI");
    let target = Target::parse(&history, "containerd@2.7").expect("a target");
    let report = assess(collect(&request, READERS), &[target]);
    let judged =
        report.subjects.into_iter().filter(|subject| !subject.verdicts.is_empty()).map(|subject| {
            let details: Vec<String> = subject.evidence.into_iter().map(|one| one.detail).collect();
            (subject.place.name().to_owned(), subject.verdicts[0].outcome, details.join("; "))
        });
    judged.collect()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("created");
    fs::write(path, text).expect("written");
}

/// Describes a process: what it runs, its command line, and its parent.
fn process(root: &Path, pid: u32, program: &Path, command: &str, parent: u32) {
    let folder = root.join("proc").join(pid.to_string());
    write(&folder.join("cmdline"), &command.replace(' ', "\0"));
    write(&folder.join("status"), &format!("Name:\tx\nPPid:\t{parent}\n"));
    symlink(program, folder.join("exe")).expect("linked");
}

/// A root of a machine with the bridge and an old plugin in it.
fn machine() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().expect("temporary folder");
    let (bridge, old) = (root.path().join("nri-bridge"), root.path().join("old"));
    fs::copy(BRIDGE, &bridge).expect("copied");
    fs::copy(peers::plugin("v0.8.0"), &old).expect("copied");
    (root, bridge, old)
}

#[test]
fn a_process_that_a_bridge_started_is_judged_with_it() {
    let (root, bridge, old) = machine();
    process(root.path(), 10, &bridge, "nri-bridge -- /run/old.sh", 1);
    process(root.path(), 11, Path::new("/bin/sh"), "sh /run/old.sh", 10);
    process(root.path(), 12, &old, "old", 11);
    let request =
        || Request { processes: true, root: Some(root.path().to_owned()), ..Request::default() };
    let one = judged(request());
    let [(name, outcome, evidence)] = &one[..] else { panic!("{one:#?}") };
    assert_eq!((name.as_str(), *outcome), ("old", Outcome::Ok));
    assert!(evidence.contains("through nri-bridge (pid 10)"), "{evidence}");
    // A second bridge, whose plugin is not visible.
    process(root.path(), 20, &bridge, "nri-bridge --listen /run/b.sock", 1);
    let both = judged(request());
    let unknown = both.iter().find(|found| found.1 == Outcome::Unknown);
    let (bridge_name, _, reason) = unknown.unwrap_or_else(|| panic!("{both:#?}"));
    assert_eq!(bridge_name, "nri-bridge");
    assert!(reason.contains("not found among the processes: pid 20"), "{reason}");
    // Without a bridge above it, the plugin is what it is.
    process(root.path(), 30, &old, "old", 1);
    let alone = judged(request()).into_iter().find(|found| found.0 == "old");
    assert_eq!(alone.expect("it is found").1, Outcome::Removed);
}

#[test]
fn a_launched_bridge_is_judged_with_the_plugin_beside_it() {
    let (root, bridge, old) = machine();
    let plugins = root.path().join("plugins");
    let beside = plugins.join("10-old.bridge");
    fs::create_dir_all(&beside).expect("created");
    fs::copy(bridge, plugins.join("10-old")).expect("copied");
    let request = || Request { paths: vec![plugins.clone()], ..Request::default() };
    let without = judged(request());
    let [(name, Outcome::Unknown, reason)] = &without[..] else { panic!("{without:#?}") };
    assert_eq!(name, "10-old");
    assert!(reason.contains("10-old.bridge/10-old was not found"), "{reason}");
    fs::copy(old, beside.join("10-old")).expect("copied");
    let with = judged(request());
    let [(_, Outcome::Ok, evidence)] = &with[..] else { panic!("{with:#?}") };
    assert!(evidence.contains("through nri-bridge"), "{evidence}");
}

/// A DaemonSet of this name that runs a plugin with this command.
fn daemon_set(name: &str, host: &str, command: &str) -> String {
    format!(
        "---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}, namespace: kube-system}}
spec:
  template:
    spec:
      containers:
        - name: plugin
          image: {host}/team/old:v1
          {command}
          volumeMounts: [{{name: nri, mountPath: /var/run/nri}}]
      volumes: [{{name: nri, hostPath: {{path: /var/run/nri}}}}]
"
    )
}

#[test]
fn a_daemon_set_whose_command_is_the_bridge_is_judged_with_the_program_in_its_image() {
    let old = fs::read(peers::plugin("v0.11.0")).expect("it was built");
    let mut images = Images::default();
    images.add("team/old", "v1", &Image::of([gzip(&layer(&[("usr/bin/old", &old)]))]));
    let registry = Registry::faithful(images);
    let wrapped =
        "command: [/b/nri-bridge, --name, old, --index, '10']\n          args: [--, old, -x]";
    let expected = [
        ("direct", "args: [--verbose]", "removed", ""),
        ("path", "command: [nri-bridge, --, /usr/bin/old]", "ok", "through nri-bridge"),
        ("name", wrapped, "ok", "through nri-bridge"),
        ("other", "command: [nri-bridge, --, /other]", "unknown", "nri-bridge starts /other,"),
        ("socket", "command: [nri-bridge, --listen=/b.sock]", "unknown", "connect to /b.sock"),
    ];
    let host = registry.host();
    let sets = expected.map(|(name, command, ..)| daemon_set(name, &host, command));
    let report = manifest_images::check(&registry, &["-", "--pull"], &sets.concat());
    let subjects = report["subjects"].as_array().expect("a list");
    for (name, _, verdict, words) in expected {
        let found = subjects.iter().any(|subject| {
            subject["place"]["workload"]["name"] == name
                && subject["verdicts"][0]["verdict"] == verdict
                && subject.to_string().contains(words)
        });
        assert!(found, "{name}: {report:#}");
    }
}
