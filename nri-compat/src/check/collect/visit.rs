//! The path of a single file through the scan: opened, recognised, and passed to the readers or
//! opened as an archive.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::archive;
use super::charts;
use super::compressed;
use super::demand::Demand;
use super::disk::{self, Disk};
use super::file_outcome::FileOutcome;
use super::found::Found;
use super::manifests;
use super::parallel;
use super::scan::{Linked, NameRank, Scan};
use super::unjudged;
use super::unread_format;
use crate::check::content::{Content as _, File};
use crate::check::evidence;
use crate::packing::Packing;
use crate::place::Place;
use crate::skipped::Unreadable;

/// The way in which a recognised file is read.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// As an archive or a compressed file.
    Packed(Packing),
    /// As a part of a Helm chart.
    Chart,
    /// As a Kubernetes manifest.
    Manifest,
    /// By the readers of evidence.
    Evidence,
}

/// A file, and how the scan found it.
#[derive(Clone, Debug)]
pub(super) struct Visit<'p> {
    /// The path to open.
    pub(super) path: &'p Path,
    /// The place to report.
    pub(super) place: Place,
    /// Returns true if the path is a symbolic link.
    pub(super) is_link: bool,
    /// The demand for a result if the file is not recognised.
    pub(super) demand: Demand,
}

/// Reads and counts a file.
pub(super) fn file(scan: &Scan<'_>, visit: &Visit<'_>) {
    let outcome = open(scan, visit.path).and_then(|disk| match disk {
        Some(disk) => look(scan, &disk, visit, true),
        None if visit.demand == Demand::Named => {
            let reason = "neither a file nor a folder";
            Ok(Some(unjudged::report(
                scan,
                &visit.place,
                visit.demand,
                reason,
            )))
        }
        None => Ok(None),
    });
    count(scan, visit, outcome);
}

/// Reads the bytes of a stream that the user named, which were copied to a file.
pub(super) fn stream(scan: &Scan<'_>, disk: &Disk, place: &Place) {
    scan.count_bytes(disk.len());
    let visit = Visit {
        path: Path::new(""),
        place: place.clone(),
        is_link: false,
        demand: Demand::Named,
    };
    count(scan, &visit, look(scan, disk, &visit, false));
}

/// Reads the files with several names that the walks deferred: each once, under the most suitable name regardless of the order
/// of the walk, and under every name that a runtime starts or the user named.
pub(super) fn deferred(scan: &Scan<'_>) {
    let mut linked = std::mem::take(&mut scan.gathered().linked);
    linked.sort();
    linked.dedup_by(|again, first| {
        if again.place == first.place {
            first.demand = first.demand.max(again.demand);
        }
        again.place == first.place
    });
    let names = linked.chunk_by(|a, b| a.id == b.id);
    let chosen: Vec<&Linked> = names.flat_map(|names| choose(scan, names)).collect();
    parallel::each(scan.threads, &chosen, |linked| chosen_name(scan, linked));
}

/// Returns the names of one file to report, and counts the others.
fn choose<'l>(scan: &Scan<'_>, names: &'l [Linked]) -> &'l [Linked] {
    let is_wanted = |name: &&Linked| name.rank == NameRank::Wanted;
    let mut chosen = names.iter().take_while(is_wanted).count().max(1);
    if let Some(best) = names.first()
        && let Some(before) = scan.read_before(best.id, &best.place)
    {
        if is_wanted(&best) {
            scan.forget(&before);
        } else {
            chosen = 0;
        }
    }
    let (chosen, others) = names.split_at(chosen.min(names.len()));
    others
        .iter()
        .for_each(|_| scan.count(FileOutcome::OtherName));
    chosen
}

/// Reads a deferred file under this name.
fn chosen_name(scan: &Scan<'_>, linked: &Linked) {
    let visit = Visit {
        path: &linked.path,
        place: linked.place.clone(),
        is_link: false,
        demand: linked.demand,
    };
    let outcome = Disk::open(&linked.path).and_then(|disk| match disk {
        Some(disk) if disk.id == linked.id => look(scan, &disk, &visit, false),
        Some(_) | None => Err(io::Error::from(io::ErrorKind::NotFound)),
    });
    count(scan, &visit, outcome);
}

/// Counts a file, unless it was deferred.
fn count(scan: &Scan<'_>, visit: &Visit<'_>, outcome: io::Result<Option<FileOutcome>>) {
    match outcome {
        Ok(Some(outcome)) => scan.count(outcome),
        Ok(None) => {}
        Err(error) => scan.count(unreadable(scan, visit, Unreadable::from(&error))),
    }
}

/// Returns the findings in the executable of running processes, under the `name` in their view, and its
/// outcome. An executable that was read under another name is read again only if `is_wanted`.
pub(super) fn program(
    scan: &Scan<'_>,
    exe: &Path,
    place: &Place,
    name: &str,
    is_wanted: bool,
) -> io::Result<(Found, FileOutcome)> {
    let disk = open(scan, exe)?.ok_or(io::ErrorKind::NotFound)?;
    let file = File {
        name: name.to_owned(),
        ..with_head(place, &disk, None)?
    };
    if !scan.recognised(&file) {
        return Ok((Found::default(), FileOutcome::OtherFile));
    }
    let is_known = scan.read_before(disk.id, place).is_some();
    if is_known && !is_wanted {
        return Ok((Found::default(), FileOutcome::OtherName));
    }
    let found = scan.look(&file);
    let outcome = if is_known {
        FileOutcome::OtherName
    } else {
        found.outcome()
    };
    Ok((found, outcome))
}

fn open(scan: &Scan<'_>, path: &Path) -> io::Result<Option<Disk>> {
    let disk = Disk::open(path)?;
    if let Some(disk) = &disk {
        scan.count_bytes(disk.len());
    }
    Ok(disk)
}

/// Defers a recognised file if it may have other names, which are not all known when it is first found.
/// Returns its outcome if it does not have to be read now; `None` for a deferred file.
fn other_name(
    scan: &Scan<'_>,
    disk: &Disk,
    visit: &Visit<'_>,
    name: &str,
) -> ControlFlow<Option<FileOutcome>> {
    if visit.is_link || disk.links > 1 {
        scan.gathered().linked.push(Linked {
            id: disk.id,
            rank: rank(visit, name),
            place: visit.place.clone(),
            path: visit.path.to_owned(),
            demand: visit.demand,
        });
        return ControlFlow::Break(None);
    }
    match scan.read_before(disk.id, &visit.place) {
        Some(_) => ControlFlow::Break(Some(FileOutcome::OtherName)),
        None => ControlFlow::Continue(()),
    }
}

fn rank(visit: &Visit<'_>, name: &str) -> NameRank {
    if visit.demand != Demand::Walked {
        NameRank::Wanted
    } else if evidence::identity(name).0.is_some() {
        NameRank::PluginName
    } else if visit.is_link {
        NameRank::Symbolic
    } else {
        NameRank::Own
    }
}

/// Reads a file, and returns its outcome; `None` if it is deferred, which only happens when it is found for
/// the first time.
fn look(
    scan: &Scan<'_>,
    disk: &Disk,
    visit: &Visit<'_>,
    is_first: bool,
) -> io::Result<Option<FileOutcome>> {
    let path = (!visit.path.as_os_str().is_empty()).then_some(visit.path);
    let file = with_head(&visit.place, disk, path)?;
    let Some(shape) = shape(scan, &file, visit.demand) else {
        return Ok(Some(unrecognised(scan, disk, &file, visit)));
    };
    if is_first && let ControlFlow::Break(outcome) = other_name(scan, disk, visit, &file.name) {
        return Ok(outcome);
    }
    Ok(Some(read(scan, &file, shape, visit)))
}

/// Reads a file that no reader recognises, but that may be a compressed program.
fn unrecognised(scan: &Scan<'_>, disk: &Disk, file: &File<'_>, visit: &Visit<'_>) -> FileOutcome {
    if let Some(program) = compressed::program(file) {
        return match program {
            Ok(program) => unpacked(scan, &program, visit),
            Err(why) => unreadable(scan, visit, why),
        };
    }
    let is_wanted = match visit.demand {
        Demand::Walked => false,
        Demand::Launched => disk.is_executable,
        Demand::Named => true,
    };
    if is_wanted {
        let reason = unjudged::unrecognised(file);
        return unjudged::report(scan, &visit.place, visit.demand, &reason);
    }
    match unread_format::reason(&file.head, file.content) {
        Some(why) => unreadable(scan, visit, why),
        None if disk.is_empty() => FileOutcome::Empty,
        None => FileOutcome::OtherFile,
    }
}

/// Reads a program that was compressed.
fn unpacked(scan: &Scan<'_>, program: &compressed::Unpacked, visit: &Visit<'_>) -> FileOutcome {
    match program.file(&visit.place) {
        Ok(file) => read(scan, &file, Shape::Evidence, visit),
        Err(error) => unreadable(scan, visit, Unreadable::from(&error)),
    }
}

/// Returns the shape of a file; `None` if nothing reads such files.
fn shape(scan: &Scan<'_>, file: &File<'_>, demand: Demand) -> Option<Shape> {
    if let Some(packing) = compressed::archive_packing(&file.head, file.content) {
        return Some(Shape::Packed(packing));
    }
    if charts::recognises(file) {
        return Some(Shape::Chart);
    }
    if manifests::recognises(file, demand, || scan.recognised(file)) {
        return Some(Shape::Manifest);
    }
    scan.recognised(file).then_some(Shape::Evidence)
}

fn read(scan: &Scan<'_>, file: &File<'_>, shape: Shape, visit: &Visit<'_>) -> FileOutcome {
    match shape {
        Shape::Chart => charts::read(scan, file, visit.demand),
        Shape::Manifest => match manifests::read(scan, file, visit.demand) {
            Some(outcome) => outcome,
            None if scan.recognised(file) => read(scan, file, Shape::Evidence, visit),
            None => FileOutcome::OtherFile,
        },
        Shape::Packed(packing) => {
            archive::read(scan, file, packing);
            if visit.demand != Demand::Walked {
                unjudged::incomplete(scan, &visit.place, visit.demand);
            }
            FileOutcome::Archive
        }
        Shape::Evidence => {
            let found = unjudged::with_answer(scan.look(file), file, visit.demand);
            let outcome = found.outcome();
            scan.store(found);
            outcome
        }
    }
}

/// Reports a file that cannot be read: as unknown if a result is needed.
fn unreadable(scan: &Scan<'_>, visit: &Visit<'_>, why: Unreadable) -> FileOutcome {
    let is_launched = || {
        let metadata = visit.path.metadata();
        visit.demand == Demand::Launched && metadata.is_ok_and(|file| disk::is_executable(&file))
    };
    if visit.demand == Demand::Named || is_launched() {
        return unjudged::report(scan, &visit.place, visit.demand, &why.reason);
    }
    scan.skip(visit.place.clone(), why);
    FileOutcome::Unreadable
}

fn with_head<'c>(place: &Place, disk: &'c Disk, path: Option<&Path>) -> io::Result<File<'c>> {
    Ok(File {
        disk: path.map(Path::to_owned),
        place: place.clone(),
        name: place.name().to_owned(),
        head: disk::head(disk)?.into(),
        content: disk,
    })
}
