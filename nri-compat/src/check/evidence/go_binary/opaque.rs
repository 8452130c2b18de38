//! Executables that hide what they are made of: nothing can be told of them, and that has to be said.

use super::{build_info, evidence};
use crate::check::content::File;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::window::find;
use crate::check::evidence::{PROTOCOL, Unreadable, identity};
use crate::check::sighting::{FileKind, Interface, Role, Sighting};

/// Stands in the headers of what UPX has packed.
const UPX: &[u8] = b"UPX!";
/// How far into the file UPX puts it, with room to spare.
const UPX_WITHIN: usize = 1024;

/// An executable packed by UPX, which leaves nothing of it readable.
pub(super) fn packed(file: &File<'_>) -> Option<Sighting> {
    let head = file.head.get(..UPX_WITHIN).unwrap_or(&file.head);
    memchr::memmem::find(head, UPX)?;
    let mut seen = hidden(file, "packed by UPX; unpack it (upx -d) and check again");
    seen.kind = FileKind::Other;
    Some(seen)
}

/// A program linked by Go whose function table is gone or changed.
pub(super) fn without_table(file: &File<'_>, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let seen = hidden(
        file,
        "a Go program without a function table that can be read",
    );
    with_protocol(seen, image)
}

/// A program whose names mean nothing: garble writes `unknown` for the release of Go, and no modules.
pub(super) fn obfuscated(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<Sighting>, Unreadable> {
    let info = build_info::read(image)?.unwrap_or_default();
    let told = ["go", "devel"]
        .iter()
        .any(|start| info.go.starts_with(start));
    if told && !info.modules.is_empty() {
        return Ok(None);
    }
    let reason = "a Go program whose names are obfuscated (garble); check the sources or the build before that";
    let seen = with_protocol(hidden(file, reason), image)?;
    // Other builds have no list of modules either: then only the protocol tells.
    let hides = seen.evidence.len() > 1 || !told && !info.go.is_empty();
    Ok(hides.then_some(seen))
}

/// It speaks NRI's protocol if the names of the protocol are in it; if they are not, they may be hidden too.
fn with_protocol(mut seen: Sighting, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let all = (0, image.content.len());
    if find(image.content, all, PROTOCOL, |_| true)?.is_some() {
        seen.role = Role::Plugin;
        let detail = "it carries the name of NRI's protocol";
        seen.evidence.push(evidence(detail));
    }
    Ok(seen)
}

fn hidden(file: &File<'_>, reason: &str) -> Sighting {
    let (index, name) = identity(&file.name);
    Sighting {
        place: file.place.clone(),
        kind: FileKind::GoBinary,
        // Named as runtimes want plugins to be, it will be started as one.
        role: if index.is_some() {
            Role::Plugin
        } else {
            Role::None
        },
        name,
        index,
        interface: Interface::Unknown(reason.to_owned()),
        evidence: vec![evidence(reason)],
        ..Sighting::default()
    }
}
