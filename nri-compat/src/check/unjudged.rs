//! Results for unrecognised files that need one, because the user named the file or a runtime
//! starts it. Such a file is `unknown`, or not a plugin for a stated reason, but never ignored.

use super::found::{Demand, FileOutcome, Found};
use super::request::{ImageRequest, shown};
use super::scan::Scan;
use crate::check::content::File;
use crate::check::evidence;
use crate::check::evidence::Reader as _;
use crate::check::evidence::program::Program;
use crate::place::Place;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting, UnknownKind};
use crate::skipped::{Skipped, Unreadable};

/// The name of the reader, in evidence.
pub(super) const READER: &str = "check";

/// The maximum length of an interpreter name in the report in bytes.
const MAX_INTERPRETER: usize = 80;

/// Returns the reason why an unrecognised file cannot be judged.
fn not_judged(file: &File<'_>) -> String {
    let head: &[u8] = &file.head;
    if head.is_empty() {
        return "it is empty".to_owned();
    }
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or(line);
        let (shown, _) = line.split_at(line.len().min(MAX_INTERPRETER));
        let interpreter = crate::escape::bytes(shown.trim_ascii());
        if interpreter.is_empty() {
            return "a script that names no interpreter".to_owned();
        }
        return format!("a script for `{interpreter}`; cannot determine which program it runs");
    }
    match file.head.packing().name() {
        Some(name) => format!("compressed with {name}, but neither an archive nor a log"),
        None => "not a kind of file that can be judged".to_owned(),
    }
}

/// Adds a sighting whose verdict is `unknown` for this reason.
pub(super) fn report(scan: &Scan<'_>, place: &Place, demand: Demand, reason: &str) -> FileOutcome {
    scan.store_sighting(sighting(place, demand, reason.to_owned()));
    FileOutcome::Evidence
}

/// Returns a sighting whose verdict is `unknown` for a reason of this kind.
pub(super) fn of_kind(place: &Place, kind: UnknownKind, reason: &str) -> Sighting {
    let is_started = kind == UnknownKind::Process;
    let demand = if is_started { Demand::Launched } else { Demand::Named };
    Sighting {
        interface: Interface::unknown_because(kind, reason),
        ..sighting(place, demand, reason.to_owned())
    }
}

/// Reports an image of which nothing could be read.
pub(super) fn not_fetched(scan: &Scan<'_>, image: &ImageRequest, reason: &str) {
    let reason = format!("cannot fetch {}: {reason}", shown(&image.reference));
    let seen = of_kind(&image.place, UnknownKind::NotFetched, &reason);
    scan.store_sighting(image.explained(seen));
    scan.count(FileOutcome::Evidence);
    scan.gathered().found.not_fetched.push(reason);
}

/// Returns a sighting if any part of an archive could not be read, because that may be the plugin.
pub(super) fn incomplete(scan: &Scan<'_>, place: &Place, demand: Demand) -> Option<Sighting> {
    let (first, count) = scan.skipped_within(place);
    let first = first?;
    let mut reason = format!("not all of it could be read: {first}");
    if count > 1 {
        reason += &format!(", and {} more", count - 1);
    }
    Some(sighting(place, demand, reason))
}

/// Returns the answer about a file that is not recognised, if one is required.
pub(super) fn unrecognised(file: &File<'_>, demand: Demand) -> Option<Found> {
    let is_wanted = demand != Demand::Walked;
    is_wanted.then(|| Found::sighting(sighting(&file.place, demand, not_judged(file))))
}

/// Returns what is known about a file that is not read: that it is unknown if a result is required.
pub(super) fn unread(file: &File<'_>, demand: Demand, why: Unreadable) -> Found {
    if demand == Demand::Walked {
        return Found::skipped(Skipped::unreadable(file.place.clone(), why));
    }
    Found::sighting(sighting(&file.place, demand, why.reason))
}

/// Returns the findings of readers, or the answer if there are none and one is required.
pub(super) fn with_answer(found: Found, file: &File<'_>, demand: Demand) -> Found {
    if !found.sightings.is_empty() || demand == Demand::Walked {
        return found;
    }
    let has_plugin_name = || evidence::is_plugin_name(&file.name) && Program.recognises(file);
    let without_nri = |why| {
        let reason = format!("a program without a trace of NRI, {why}");
        sighting(&file.place, Demand::Launched, reason)
    };
    let answer = match found.skipped.into_iter().next() {
        Some(skipped) => sighting(&file.place, demand, skipped.reason),
        None if demand == Demand::Launched => without_nri("which the runtime starts as a plugin"),
        None if has_plugin_name() => without_nri("but with the name of a plugin"),
        None => no_plugin(&file.place),
    };
    Found::sighting(answer)
}

/// Returns a sighting whose verdict is `unknown` for this reason.
pub(super) fn sighting(place: &Place, demand: Demand, reason: String) -> Sighting {
    let (index, name) = evidence::identity(place.name());
    Sighting {
        place: place.clone(),
        kind: FileKind::Other,
        role: if demand == Demand::Launched { Role::Plugin } else { Role::None },
        name,
        index,
        evidence: vec![Evidence::new(READER, reason.clone())],
        interface: Interface::unknown(reason),
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
