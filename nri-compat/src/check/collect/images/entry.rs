//! `--quick`: the entry point of an image, which most plugins are.
//!
//! Layers are read from the topmost down, until one has the entry point. Reading stops there only if
//! the entry point is a plugin: a script, a link or another program proves nothing about the image.

use serde_json::Value;

use super::remote::Remote;
use crate::check::collect::archive::{Image, Layers, clean_path};
use crate::check::collect::found::Found;
use crate::sighting::Evidence;

/// The findings in an entry point.
pub(super) struct EntryPoint {
    /// The path within the image.
    pub(super) path: Vec<u8>,
    pub(super) found: Found,
}

/// Returns the findings in the entry point of an image, if it is a plugin.
pub(super) fn find(remote: &Remote<'_>, image: &Image, layers: &Layers<'_>) -> Option<EntryPoint> {
    let config = remote.config(&image.config).ok()?;
    let path = path(&config)?;
    for blob in image.layers.iter().rev() {
        let layer = layers.get(blob)?;
        if let Some(found) = layer.file_at(&path) {
            let found = with_note(found.clone());
            return (!found.sightings.is_empty()).then_some(EntryPoint { path, found });
        }
        if layer.hides(&path) {
            return None;
        }
    }
    None
}

/// Returns the path of the program that a container of the image starts; `None` if it depends on
/// other files, such as the folders in `PATH`.
fn path(config: &Value) -> Option<Vec<u8>> {
    let config = config.get("config")?;
    let list = |key: &str| config.get(key).and_then(Value::as_array);
    let words = [list("Entrypoint"), list("Cmd")]
        .into_iter()
        .flatten()
        .flatten();
    let program = words.filter_map(Value::as_str).next()?;
    let folder = config
        .get("WorkingDir")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if program.starts_with('/') {
        Some(clean_path(program.as_bytes()))
    } else {
        program
            .contains('/')
            .then(|| clean_path(format!("{folder}/{program}").as_bytes()))
    }
}

fn with_note(mut found: Found) -> Found {
    for seen in &mut found.sightings {
        seen.evidence.push(Evidence {
            reader: "check",
            detail: "the entry point of the image; --quick stopped there, so its other files were not read".to_owned(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_point_is_a_path() {
        let found = |config: Value| {
            path(&json!({"config": config})).map(|path| String::from_utf8(path).unwrap())
        };
        assert_eq!(
            found(json!({"Entrypoint": ["/usr/bin/10-a", "-x"], "Cmd": ["/b"]})).as_deref(),
            Some("usr/bin/10-a")
        );
        assert_eq!(
            found(json!({"Entrypoint": null, "Cmd": ["/b/../c"]})).as_deref(),
            Some("c")
        );
        assert_eq!(
            found(json!({"Entrypoint": ["./a"], "WorkingDir": "/opt"})).as_deref(),
            Some("opt/a")
        );
        for other in [
            json!({}),
            json!({"Entrypoint": ["a"]}),
            json!({"Entrypoint": [1]}),
            json!({"Entrypoint": "a"}),
        ] {
            assert_eq!(found(other.clone()), None, "{other}");
        }
    }
}
