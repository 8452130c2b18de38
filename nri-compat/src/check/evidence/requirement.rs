//! Files that name NRI as a dependency, which does not show what is built.

use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};

/// The reason why such files are not judged.
const REASON: &str = "it names NRI as a dependency, which does not show which events are handled";

/// Returns the sighting of such a file.
pub(super) fn sighting(
    file: &File<'_>,
    kind: FileKind,
    reader: &'static str,
    detail: String,
) -> Sighting {
    Sighting {
        place: file.place.clone(),
        kind,
        role: Role::Library,
        interface: Interface::unknown(REASON),
        evidence: vec![Evidence { reader, detail }],
        ..Sighting::default()
    }
}
