//! The path of a single file through the scan: opened, recognised, and passed to the readers or
//! opened as an archive.

use std::io;
use std::path::{Path, PathBuf};

use crate::check::container::archive;
use crate::check::content::disk::{self, Disk};
use crate::check::content::{Content as _, File, Head};
use crate::check::evidence::is_plugin_name;
use crate::check::kubernetes::{charts, manifests};
use crate::check::observations::{Demand, FileOutcome, Observations};
use crate::check::recognise::{self, Recognised, SingleFile};
use crate::check::scan::{Linked, NameRank, Scan, Visit};
use crate::check::{parallel, read, unjudged};
use crate::place::Place;
use crate::skipped::Unreadable;
use crate::unknown::UnknownFile;

/// Reads and counts a file.
pub(in crate::check) fn file(scan: &Scan<'_>, visit: &Visit) {
    let outcome = open(scan, &visit.path).and_then(|disk| match disk {
        Some(disk) => read_or_defer(scan, &disk, visit, true),
        None if visit.demand == Demand::Named => {
            let why = UnknownFile::Special;
            let outcome = unjudged::report(scan, &visit.place, visit.demand, why);
            Ok(Some(outcome))
        }
        None => Ok(None),
    });
    count(scan, visit, outcome);
}

/// Reads the bytes of a stream that the user named, which were copied to a file.
pub(in crate::check) fn stream(scan: &Scan<'_>, disk: &Disk, place: Place) {
    scan.count_bytes(disk.len());
    let visit = Visit { place, path: PathBuf::new(), is_link: false, demand: Demand::Named };
    count(scan, &visit, read_or_defer(scan, disk, &visit, false));
}

/// Reads the files with several names that the walks deferred: each once, under the most suitable
/// name regardless of the order of the walk, and under every name that a runtime starts or the user
/// named.
pub(in crate::check) fn deferred(scan: &Scan<'_>) {
    let mut linked = std::mem::take(&mut scan.gathered().linked);
    linked.sort();
    linked.dedup_by(|again, first| {
        let is_same = again.visit.place == first.visit.place;
        if is_same {
            first.visit.demand = first.visit.demand.max(again.visit.demand);
        }
        is_same
    });
    let files = linked.chunk_by(|a, b| a.id == b.id);
    let chosen: Vec<&Linked> = files.flat_map(|names| choose(scan, names)).collect();
    parallel::each(scan.threads, &chosen, |name| {
        let outcome = Disk::open(&name.visit.path).and_then(|disk| match disk {
            Some(disk) if disk.id == name.id => read_or_defer(scan, &disk, &name.visit, false),
            Some(_) | None => Err(io::Error::from(io::ErrorKind::NotFound)),
        });
        count(scan, &name.visit, outcome);
    });
}

/// Returns the names of one file to report, and counts the others.
fn choose<'l>(scan: &Scan<'_>, names: &'l [Linked]) -> &'l [Linked] {
    let is_wanted = |name: &&Linked| name.rank == NameRank::Wanted;
    let mut number = names.iter().take_while(is_wanted).count().max(1);
    if let Some(best) = names.first()
        && let Some(before) = scan.read_before(best.id, &best.visit.place)
    {
        if is_wanted(&best) {
            scan.forget(&before);
        } else {
            number = 0;
        }
    }
    let (chosen, others) = names.split_at(number.min(names.len()));
    others.iter().for_each(|_| scan.count(FileOutcome::OtherName));
    chosen
}

/// Counts a file, unless it was deferred.
fn count(scan: &Scan<'_>, visit: &Visit, outcome: io::Result<Option<FileOutcome>>) {
    let outcome = outcome.unwrap_or_else(|error| {
        let why = Unreadable::from(&error);
        Some(unreadable(scan, visit, why))
    });
    if let Some(outcome) = outcome {
        scan.count(outcome);
    }
}

/// Returns the findings in the executable of running processes, under the `name` in their view, and
/// its outcome. An executable that was read under another name is read again only if `is_wanted`.
pub(in crate::check) fn program(
    scan: &Scan<'_>,
    exe: &Path,
    place: &Place,
    name: &str,
    is_wanted: bool,
) -> io::Result<(Observations, FileOutcome)> {
    let disk = open(scan, exe)?.ok_or(io::ErrorKind::NotFound)?;
    let file = File { name: name.to_owned(), ..with_head(place, &disk, None)? };
    let readers = recognise::known_to(scan.readers, &file);
    if readers.is_empty() {
        return Ok((Observations::default(), FileOutcome::OtherFile));
    }
    let is_known = scan.read_before(disk.id, place).is_some();
    if is_known && !is_wanted {
        return Ok((Observations::default(), FileOutcome::OtherName));
    }
    let observed = read::evidence(&readers, &file);
    let outcome = if is_known { FileOutcome::OtherName } else { observed.outcome() };
    Ok((observed, outcome))
}

fn open(scan: &Scan<'_>, path: &Path) -> io::Result<Option<Disk>> {
    let disk = Disk::open(path)?;
    if let Some(disk) = &disk {
        scan.count_bytes(disk.len());
    }
    Ok(disk)
}

fn rank(visit: &Visit, name: &str) -> NameRank {
    if visit.demand != Demand::Walked {
        NameRank::Wanted
    } else if is_plugin_name(name) {
        NameRank::PluginName
    } else if visit.is_link {
        NameRank::Symbolic
    } else {
        NameRank::Own
    }
}

/// Reads a file, and returns its outcome; `None` if it is deferred, which only happens when it is
/// found for the first time.
fn read_or_defer(
    scan: &Scan<'_>,
    disk: &Disk,
    visit: &Visit,
    is_first: bool,
) -> io::Result<Option<FileOutcome>> {
    let path = Some(&visit.path).filter(|path| !path.as_os_str().is_empty());
    let file = with_head(&visit.place, disk, path)?;
    // Runtimes start only executable files.
    let demand = match visit.demand {
        Demand::Launched if !disk.is_executable => Demand::Walked,
        demand => demand,
    };
    let recognised = recognise::on_disk(scan.readers, &file, demand);
    let is_first = is_first && recognised.is_known();
    // Not all names of a file with several names are known when it is first found.
    if is_first && (visit.is_link || disk.links > 1) {
        scan.gathered().linked.push(Linked {
            id: disk.id,
            rank: rank(visit, &file.name),
            visit: visit.clone(),
        });
        return Ok(None);
    }
    if is_first && scan.read_before(disk.id, &visit.place).is_some() {
        return Ok(Some(FileOutcome::OtherName));
    }
    Ok(Some(of_kind(scan, &file, recognised, demand)))
}

/// Reads a file as what it was recognised as.
fn of_kind(
    scan: &Scan<'_>,
    file: &File<'_>,
    recognised: Recognised<'_>,
    demand: Demand,
) -> FileOutcome {
    match recognised {
        Recognised::Chart => charts::read(scan, file, demand),
        Recognised::Manifest(kind) => {
            manifests::read(scan, file, demand).unwrap_or_else(|| single(scan, file, &kind, demand))
        }
        Recognised::Configuration(configuration) => {
            scan.gathered().configurations.push(*configuration);
            FileOutcome::Evidence
        }
        Recognised::Archive(packing) => {
            archive::read(scan, file, packing);
            if demand != Demand::Walked {
                let incomplete = unjudged::incomplete(scan, &file.place, demand);
                incomplete.into_iter().for_each(|seen| scan.store_sighting(seen));
            }
            FileOutcome::Archive
        }
        Recognised::Single(kind) => single(scan, file, &kind, demand),
    }
}

/// Reads a file that is not a container of others.
fn single(scan: &Scan<'_>, file: &File<'_>, kind: &SingleFile<'_>, demand: Demand) -> FileOutcome {
    match read::file(scan.readers, file, kind, demand) {
        Some(observed) => {
            let outcome = observed.outcome();
            scan.store(observed);
            outcome
        }
        None if file.content.is_empty() => FileOutcome::Empty,
        None => FileOutcome::OtherFile,
    }
}

/// Reports a file that cannot be read: as unknown if a result is needed.
fn unreadable(scan: &Scan<'_>, visit: &Visit, why: Unreadable) -> FileOutcome {
    let is_launched = || {
        let metadata = visit.path.metadata();
        visit.demand == Demand::Launched && metadata.is_ok_and(|file| disk::is_executable(&file))
    };
    if visit.demand == Demand::Named || is_launched() {
        let why = UnknownFile::Unread(why.reason);
        return unjudged::report(scan, &visit.place, visit.demand, why);
    }
    scan.skip(visit.place.clone(), why);
    FileOutcome::Unreadable
}

fn with_head<'c>(place: &Place, disk: &'c Disk, path: Option<&PathBuf>) -> io::Result<File<'c>> {
    Ok(File {
        disk: path.cloned(),
        place: place.clone(),
        name: place.name().to_owned(),
        head: Head::read(disk)?,
        content: disk,
    })
}
