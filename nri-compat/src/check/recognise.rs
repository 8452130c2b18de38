//! Recognises a file, once, by its first bytes, its name and, on disk, its surroundings.

mod packed;
pub(super) mod unread;

use super::content::{Content, File, Head};
use super::evidence::Reader;
use super::kubernetes::{charts, manifests};
use super::observations::Demand;
use super::settings::{self, DetachedConfiguration};
use crate::skipped::Unreadable;
use crate::unpack::Packing;
use packed::PackedContent;

/// The readers that know a file.
pub(super) type Readers<'r> = Vec<&'r dyn Reader>;

/// The kind of a file, which decides how it is read.
pub(super) enum Recognised<'r> {
    /// An archive with this compression.
    Archive(Packing),
    /// A part of a Helm chart.
    Chart,
    /// Perhaps a Kubernetes manifest; if it has no object, a file of this kind.
    Manifest(SingleFile<'r>),
    /// The configuration of a runtime.
    Configuration(Box<DetachedConfiguration>),
    /// No container of others.
    Single(SingleFile<'r>),
}

/// The kind of a file that is not a container of others.
pub(super) enum SingleFile<'r> {
    /// A file with evidence for these readers.
    Evidence(Readers<'r>),
    /// A compressed program.
    PackedProgram,
    /// Something that may hold programs and is not read.
    NotRead(Unreadable),
    /// Anything else.
    Other,
}

impl Recognised<'_> {
    /// Returns true unless nothing but its name can make the file a plugin.
    pub(super) const fn is_known(&self) -> bool {
        matches!(
            self,
            Self::Archive(_)
                | Self::Chart
                | Self::Manifest(_)
                | Self::Configuration(_)
                | Self::Single(SingleFile::Evidence(_))
        )
    }
}

/// Recognises a file on disk.
pub(super) fn on_disk<'r>(
    readers: &[&'r dyn Reader],
    file: &File<'_>,
    demand: Demand,
) -> Recognised<'r> {
    if charts::recognises(file) && !packed::is_archive(&file.head, file.content) {
        return Recognised::Chart;
    }
    let Some(single) = in_archive(readers, file) else {
        return Recognised::Archive(file.head.packing());
    };
    let is_evidence = matches!(single, SingleFile::Evidence(_));
    let configuration = if is_evidence { None } else { settings::recognise(file, demand) };
    if let Some(configuration) = configuration {
        Recognised::Configuration(Box::new(configuration))
    } else if manifests::recognises(file, demand, is_evidence) {
        Recognised::Manifest(single)
    } else {
        Recognised::Single(single)
    }
}

/// Recognises a file in an archive or image; `None` for an archive.
pub(super) fn in_archive<'r>(
    readers: &[&'r dyn Reader],
    file: &File<'_>,
) -> Option<SingleFile<'r>> {
    if packed::is_archive(&file.head, file.content) {
        return None;
    }
    let readers = known_to(readers, file);
    if !readers.is_empty() {
        return Some(SingleFile::Evidence(readers));
    }
    Some(match packed::content(file) {
        PackedContent::Program => SingleFile::PackedProgram,
        PackedContent::NotRead(why) => SingleFile::NotRead(why),
        PackedContent::Other => {
            unread::reason(&file.head, file.content).map_or(SingleFile::Other, SingleFile::NotRead)
        }
    })
}

/// Returns the readers that know a file.
pub(super) fn known_to<'r>(readers: &[&'r dyn Reader], file: &File<'_>) -> Readers<'r> {
    let is_empty = file.head.is_empty();
    readers.iter().copied().filter(|reader| !is_empty && reader.recognises(file)).collect()
}

/// Returns the compression of a layer of an image.
///
/// # Errors
///
/// Returns an error if the layer has a format that is not read.
pub(super) fn layer(content: &dyn Content) -> Result<Packing, Unreadable> {
    let head = Head::read(content)?;
    match unread::reason(&head, content) {
        Some(why) if !packed::is_archive(&head, content) => Err(why),
        Some(_) | None => Ok(head.packing()),
    }
}
