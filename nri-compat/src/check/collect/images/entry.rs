//! `--quick`: the entry point of an image, which most plugins are.
//!
//! Reading stops at the entry point only if it is a plugin: a script or another program proves nothing about the image.

use std::path::PathBuf;

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
    let config: Config = remote.config(image)?;
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
fn path(process: Process) -> Option<PathBuf> {
    let mut words = process.entrypoint.into_iter().chain(process.cmd).flatten();
    let program = words.next().filter(|program| program.contains('/'))?;
    Some(clean_path(PathBuf::from(process.working_dir).join(program)))
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
        ] {
            let found = path(Process::deserialize(&config).unwrap());
            assert_eq!(found, expected.map(PathBuf::from), "{config}");
        }
    }
}
