//! Runs one reader on any bytes, without a panic.

use nri_compat::check::content::{File, HEAD};
use nri_compat::check::evidence::{READERS, Reader};

/// Returns the reader with this name.
pub(crate) fn reader(name: &str) -> &'static dyn Reader {
    let found = READERS.iter().find(|reader| reader.name() == name);
    *found.expect("the name is that of a reader")
}

/// Reads the bytes, whether they are recognised or not. Checks that every sighting has a path and
/// evidence.
pub(crate) fn read(name: &str, bytes: &[u8]) {
    let reader = reader(name);
    let file = File {
        place: "dir/file".into(),
        name: "file".to_owned(),
        head: bytes[..bytes.len().min(HEAD)].to_vec().into(),
        content: &bytes,
        disk: None,
    };
    let _ = reader.recognises(&file);
    match reader.read(&file) {
        Ok(sightings) => {
            for sighting in sightings {
                assert_eq!(sighting.place.file, "dir/file");
                assert!(!sighting.evidence.is_empty());
            }
        }
        Err(unreadable) => assert!(!unreadable.reason.is_empty()),
    }
}
