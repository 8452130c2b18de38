//! Results for unrecognised files that need one, because the user named the file or a runtime
//! starts it. Such a file is `unknown`, or not a plugin for a stated reason, but never ignored.

use super::observations::{Demand, FileOutcome, Observations};
use super::request::{ImageRequest, shown};
use super::scan::Scan;
use crate::check::content::File;
use crate::check::evidence;
use crate::check::evidence::Reader as _;
use crate::check::evidence::program::Program;
use crate::place::Place;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
use crate::skipped::{Skipped, Unreadable};
use crate::unknown::{Unknown, UnknownFile};

/// The name of the reader, in evidence.
pub(super) const READER: &str = "check";

/// The maximum length of an interpreter name in the report in bytes.
const MAX_INTERPRETER: usize = 80;

/// Returns the reason why an unrecognised file cannot be judged.
fn not_judged(file: &File<'_>) -> UnknownFile {
    let head: &[u8] = &file.head;
    if head.is_empty() {
        return UnknownFile::Empty;
    }
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or(line);
        let (shown, _) = line.split_at(line.len().min(MAX_INTERPRETER));
        let interpreter = crate::escape::bytes(shown.trim_ascii());
        return UnknownFile::Script(Some(interpreter).filter(|name| !name.is_empty()));
    }
    file.head.packing().name().map_or(UnknownFile::OtherKind, UnknownFile::Compressed)
}

/// Adds a sighting whose verdict is `unknown` for this reason.
pub(super) fn report(
    scan: &Scan<'_>,
    place: &Place,
    demand: Demand,
    why: UnknownFile,
) -> FileOutcome {
    scan.store_sighting(sighting(place, demand, why));
    FileOutcome::Evidence
}

/// Reports an image of which nothing could be read.
pub(super) fn not_fetched(scan: &Scan<'_>, image: &ImageRequest, reason: &str) {
    let why = Unknown::NotFetched(shown(&image.reference), reason.to_owned());
    let message = why.to_string();
    scan.store_sighting(image.explained(sighting(&image.place, Demand::Named, why)));
    scan.count(FileOutcome::Evidence);
    scan.gathered().collected.not_fetched.push(message);
}

/// Returns a sighting if any part of an archive could not be read, because that may be the plugin.
pub(super) fn incomplete(scan: &Scan<'_>, place: &Place, demand: Demand) -> Option<Sighting> {
    let (first, count) = scan.skipped_within(place);
    let why = UnknownFile::PartlyUnread(first?, count.saturating_sub(1));
    Some(sighting(place, demand, why))
}

/// Returns the answer about a file that is not recognised, if one is required.
pub(super) fn unrecognised(file: &File<'_>, demand: Demand) -> Option<Observations> {
    let is_wanted = demand != Demand::Walked;
    is_wanted.then(|| Observations::sighting(sighting(&file.place, demand, not_judged(file))))
}

/// Returns the findings in a file that is not read: unknown if a result is required, else skipped.
pub(super) fn unread(file: &File<'_>, demand: Demand, why: Unreadable) -> Observations {
    if demand == Demand::Walked {
        return Observations::skipped(Skipped::unreadable(file.place.clone(), why));
    }
    Observations::sighting(sighting(&file.place, demand, UnknownFile::Unread(why.reason)))
}

/// Returns the findings of readers, or the answer if there are none and one is required.
pub(super) fn with_answer(observed: Observations, file: &File<'_>, demand: Demand) -> Observations {
    if !observed.sightings.is_empty() || demand == Demand::Walked {
        return observed;
    }
    let has_plugin_name = || evidence::is_plugin_name(&file.name) && Program.recognises(file);
    let answer = match observed.skipped.into_iter().next() {
        Some(skipped) => sighting(&file.place, demand, UnknownFile::Unread(skipped.reason)),
        None if demand == Demand::Launched => {
            sighting(&file.place, Demand::Launched, UnknownFile::Launched)
        }
        None if has_plugin_name() => {
            sighting(&file.place, Demand::Launched, UnknownFile::PluginName)
        }
        None => no_plugin(&file.place),
    };
    Observations::sighting(answer)
}

/// Returns a sighting whose verdict is `unknown` for this reason.
pub(super) fn sighting(place: &Place, demand: Demand, why: impl Into<Unknown>) -> Sighting {
    let why = why.into();
    let (index, name) = evidence::identity(place.name());
    Sighting {
        place: place.clone(),
        kind: FileKind::Other,
        role: if demand == Demand::Launched { Role::Plugin } else { Role::None },
        name,
        index,
        evidence: vec![Evidence::new(READER, why.to_string())],
        interface: Interface::Unknown(why),
        ..Sighting::default()
    }
}

/// Returns a sighting of a file or an image without a trace of NRI.
pub(super) fn no_plugin(place: &Place) -> Sighting {
    let detail = "not a plugin: it was read to its end and has no trace of NRI";
    Sighting {
        place: place.clone(),
        evidence: vec![Evidence::new(READER, detail)],
        ..Sighting::default()
    }
}
