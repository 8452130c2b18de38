//! Go executables that hide their contents.

use super::{NAME, build_info};
use crate::check::content::File;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::opaque::{hidden, with_protocol};
use crate::sighting::{FileKind, Sighting};

/// Reports a program linked by Go whose function table was removed or changed.
pub(super) fn without_table(file: &File<'_>, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let reason = "a Go program without a readable function table";
    let mut seen = hidden(file, FileKind::GoBinary, NAME, reason);
    with_protocol(&mut seen, NAME, image)?;
    Ok(seen)
}

/// Reports a program with obfuscated names: garble writes `unknown` as the Go release, and no
/// modules.
pub(super) fn obfuscated(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<Sighting>, Unreadable> {
    let info = build_info::read(image)?.unwrap_or_default();
    let starts = ["go", "devel"];
    let has_release = starts.iter().any(|start| info.go.starts_with(start));
    if has_release && !info.modules.is_empty() {
        return Ok(None);
    }
    let reason = "a Go program whose names are obfuscated (garble); check its sources, or a build without that";
    let mut seen = hidden(file, FileKind::GoBinary, NAME, reason);
    with_protocol(&mut seen, NAME, image)?;
    // Other builds have no list of modules either; then only the names of the protocol are
    // evidence.
    let hides = seen.evidence.len() > 1 || !has_release;
    Ok(hides.then_some(seen))
}
