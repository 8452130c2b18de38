//! The executables of running processes, `/proc/*/exe`, each once.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::disk::{Disk, FileId};
use super::file_outcome::FileOutcome;
use super::parallel;
use super::scan::Scan;
use super::visit;
use crate::escape;
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};

/// The suffix that the kernel appends to the name of an executable that was deleted or replaced.
const DELETED: &[u8] = b" (deleted)";

/// A running executable.
struct Program {
    /// The link that opens it, whatever mount namespace it is in.
    exe: PathBuf,
    /// The path in the view of its processes.
    path: PathBuf,
    /// The ids of its processes, ascending.
    pids: Vec<u32>,
}

/// Passes the executables of all processes under `proc` to the scan, which shows them as `/opt/x
/// (pid 12, 15)`.
pub(super) fn read(scan: &Scan<'_>, proc: &Path) {
    let mut programs = BTreeMap::new();
    match pids(proc) {
        Ok(pids) => pids
            .into_iter()
            .for_each(|pid| add(scan, proc, pid, &mut programs)),
        Err(error) => scan.skip(Place::of(proc), Unreadable::from(&error)),
    }
    let programs: Vec<Program> = programs.into_values().collect();
    parallel::each(scan.threads, &programs, |program| {
        let place = Place::of(&program.path).run_by(&program.pids);
        visit::program(scan, &program.exe, &place, &named(program));
    });
}

fn pids(proc: &Path) -> io::Result<Vec<u32>> {
    let mut pids = Vec::new();
    for entry in proc.read_dir()? {
        let name = entry?.file_name();
        pids.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    pids.sort_unstable();
    Ok(pids)
}

fn add(scan: &Scan<'_>, proc: &Path, pid: u32, programs: &mut BTreeMap<FileId, Program>) {
    let folder = proc.join(pid.to_string());
    match identify(&folder) {
        Ok(Some((id, path))) => programs
            .entry(id)
            .or_insert_with(|| Program {
                exe: folder.join("exe"),
                path,
                pids: Vec::new(),
            })
            .pids
            .push(pid),
        Ok(None) => {}
        Err(why) => {
            scan.skip(Place::of(&folder.join("exe")), why);
            scan.count(FileOutcome::Unreadable);
        }
    }
}

/// Returns the executable of a process and its path in the view of the process; `None` for a kernel
/// thread or a zombie.
fn identify(folder: &Path) -> Result<Option<(FileId, PathBuf)>, Unreadable> {
    let exe = folder.join("exe");
    let path = match exe.read_link() {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return without_program(folder),
        Err(error) => return Err(Unreadable::from(&error)),
    };
    match Disk::open(&exe) {
        Ok(Some(disk)) => Ok(Some((disk.id, path))),
        Ok(None) => Err(Unreadable::new(SkipKind::SpecialFile, "not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Unreadable::new(SkipKind::Changed, "it is gone"))
        }
        Err(error) => Err(Unreadable::from(&error)),
    }
}

fn without_program<T>(folder: &Path) -> Result<Option<T>, Unreadable> {
    match std::fs::read(folder.join("cmdline")) {
        Ok(arguments) if arguments.is_empty() => Ok(None),
        _ => Err(Unreadable::new(
            SkipKind::Changed,
            "the process ended meanwhile",
        )),
    }
}

/// Returns the name of the executable, from which a plugin derives its own name.
fn named(program: &Program) -> String {
    let name = program.path.file_name().map_or(&b""[..], OsStr::as_bytes);
    let name = name.strip_suffix(DELETED).unwrap_or(name);
    escape::bytes(name)
}
