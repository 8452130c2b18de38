//! `--quick`: the entry point of an image, which most plugins are.
//!
//! Reading stops at the entry point only if it is a plugin: a script or another program proves nothing about the image.

use serde::Deserialize;

use super::remote::Remote;
use crate::check::collect::archive::{Image, Layers, clean_path};
use crate::check::collect::found::Found;
use crate::sighting::Evidence;

/// The part of the configuration of an image that says what its containers start.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    config: Process,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Process {
    entrypoint: Option<Vec<String>>,
    cmd: Option<Vec<String>>,
    working_dir: String,
}

/// Returns the findings in the entry point of an image, if it is a plugin.
pub(super) fn find(remote: &Remote<'_>, image: &Image, layers: &Layers<'_>) -> Option<Found> {
    let config: Config = remote.config(image).ok()?;
    let mut found = layers.file_at(image, &path(config.config)?)?;
    for seen in &mut found.sightings {
        seen.evidence.push(Evidence {
            reader: "check",
            detail: "the entry point of the image; --quick stopped there, so its other files were not read".to_owned(),
        });
    }
    (!found.sightings.is_empty()).then_some(found)
}

/// Returns the path of the program that a container of the image starts; `None` if it depends on
/// other files, such as the folders in `PATH`.
fn path(process: Process) -> Option<Vec<u8>> {
    let mut words = process.entrypoint.into_iter().chain(process.cmd).flatten();
    let program = words.next().filter(|program| program.contains('/'))?;
    let folder = if program.starts_with('/') {
        ""
    } else {
        &process.working_dir
    };
    Some(clean_path(format!("{folder}/{program}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_point_is_a_path() {
        for (config, expected) in [
            (
                json!({"Entrypoint": ["/usr/bin/10-a", "-x"], "Cmd": ["/b"]}),
                Some("usr/bin/10-a"),
            ),
            (json!({"Entrypoint": null, "Cmd": ["/b/../c"]}), Some("c")),
            (
                json!({"Entrypoint": ["./a"], "WorkingDir": "/opt"}),
                Some("opt/a"),
            ),
            (json!({"Entrypoint": ["a"]}), None),
            (json!({}), None),
        ] {
            let process = Process::deserialize(&config).unwrap();
            let found = path(process).map(|path| String::from_utf8(path).unwrap());
            assert_eq!(found.as_deref(), expected, "{config}");
        }
    }
}
