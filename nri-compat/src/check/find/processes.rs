//! Running processes: their executables, `/proc/*/exe`, each once, and the processes that are
//! plugins by what they do, whatever they execute.

mod bridges;
#[cfg(target_os = "linux")]
mod connections;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::visit;
use crate::check::bridged;
use crate::check::content::disk::{Disk, FileId};
use crate::check::observations::{Demand, FileOutcome, Observations};
use crate::check::parallel;
use crate::check::scan::Scan;
use crate::check::unjudged;
use crate::escape;
use crate::place::Place;
use crate::sighting::{Evidence, Role, Sighting};
use crate::skipped::{SkipKind, Skipped, Unreadable};
use crate::unknown::{PluginActivity, UnknownExecutable, UnknownProcess};

/// The suffix that the kernel appends to the name of an executable that was deleted or replaced.
const DELETED: &[u8] = b" (deleted)";

/// The variables that a runtime sets for the plugins that it starts.
const NAME_VARIABLE: &str = "NRI_PLUGIN_NAME";
const INDEX_VARIABLE: &str = "NRI_PLUGIN_IDX";

/// The maximum length of an environment or a command line in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// The maximum length of a command line in the report in characters.
const MAX_COMMAND: usize = 200;

/// A running executable.
struct Program {
    /// The folder of its first process.
    process: PathBuf,
    /// The path in the view of its processes.
    path: PathBuf,
    /// The ids of its processes, ascending.
    pids: Vec<u32>,
    /// The processes that are plugins by what they do.
    plugins: Vec<Plugin>,
}

/// A process that is a plugin by what it does.
struct Plugin {
    pid: u32,
    command: String,
    activity: PluginActivity,
    /// The socket that it is connected to.
    socket: Option<PathBuf>,
    /// The name that a runtime gave it.
    name: Option<String>,
    /// The index that a runtime gave it.
    index: Option<String>,
}

/// The sockets of runtimes to which there are connections, by the inode of the socket at the other
/// end.
type Connections = BTreeMap<u32, PathBuf>;

/// The processes of a machine.
struct Processes<'p> {
    proc: &'p Path,
    connections: Connections,
    /// The connections whose processes were found.
    seen: BTreeSet<u32>,
    programs: BTreeMap<FileId, Program>,
}

/// Passes the executables of all processes under `proc` to the scan, which shows them as
/// `/opt/x (pid 12, 15)`. A process that is connected to one of the NRI sockets, or that a runtime
/// started, is reported even if its executable has no trace of NRI.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub(in crate::check) fn read(scan: &Scan<'_>, proc: &Path, sockets: &[PathBuf]) {
    let pids = match pids(proc) {
        Ok(pids) => pids,
        Err(error) => return scan.skip(Place::from_path(proc), Unreadable::from(&error)),
    };
    #[cfg(target_os = "linux")]
    let connections = connections::connections(scan, proc, &pids, sockets);
    // Only Linux shows the connections of processes.
    #[cfg(not(target_os = "linux"))]
    let connections = Connections::new();
    let mut processes =
        Processes { proc, connections, seen: BTreeSet::new(), programs: BTreeMap::new() };
    pids.into_iter().for_each(|pid| processes.add(scan, pid));
    processes.report_unseen(scan);
    processes.forget_own();
    let programs: Vec<Program> = processes.programs.into_values().collect();
    let are_bridges = parallel::each(scan.threads, &programs, |program| report(scan, program));
    let relays = bridges::relays(proc, &programs, &are_bridges);
    scan.gathered().relays = relays;
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

impl Processes<'_> {
    fn add(&mut self, scan: &Scan<'_>, pid: u32) {
        let folder = self.proc.join(pid.to_string());
        let plugin = self.plugin(&folder, pid);
        match identify(&folder) {
            Ok(Some((id, path))) => {
                let program = self.programs.entry(id).or_insert_with(|| Program {
                    process: folder,
                    path,
                    pids: Vec::new(),
                    plugins: Vec::new(),
                });
                program.pids.push(pid);
                program.plugins.extend(plugin);
            }
            Ok(None) => {}
            Err(why) => match plugin {
                Some(plugin) => {
                    let place = Place::from_path(&folder.join("exe"));
                    let why = UnknownExecutable::Unread(why.reason);
                    scan.store_sighting(plugin.sighting(&place, why));
                    scan.count(FileOutcome::Evidence);
                }
                None => {
                    scan.skip(Place::from_path(&folder.join("exe")), why);
                    scan.count(FileOutcome::Unreadable);
                }
            },
        }
    }

    /// Returns the process as a plugin if it is connected to a socket of NRI or a runtime started
    /// it.
    fn plugin(&mut self, folder: &Path, pid: u32) -> Option<Plugin> {
        let open = open_sockets(folder, &self.connections);
        let socket = open.first().and_then(|one| self.connections.get(one)).cloned();
        self.seen.extend(open);
        let launched = launched(self.proc, pid);
        let activity = match (&launched, &socket) {
            (Some(_), _) => PluginActivity::Launched,
            (None, Some(socket)) => PluginActivity::Connected(escape::path(socket)),
            (None, None) => return None,
        };
        let (name, index) = launched.unwrap_or_default();
        Some(Plugin { pid, command: command(folder), activity, socket, name, index })
    }

    /// Forgets the program of this process, which contains NRI and is not a part of the machine,
    /// unless a process of the program is a plugin.
    fn forget_own(&mut self) {
        if let Ok(Some((own, _))) = identify(&self.proc.join("self"))
            && let Entry::Occupied(program) = self.programs.entry(own)
            && program.get().plugins.is_empty()
        {
            program.remove();
        }
    }

    /// Reports the connections whose processes cannot be seen.
    fn report_unseen(&self, scan: &Scan<'_>) {
        let unseen = self.connections.iter().filter(|(inode, _)| !self.seen.contains(inode));
        for socket in unseen.map(|(_, socket)| socket).collect::<BTreeSet<_>>() {
            let place = Place::from_path(socket);
            let hidden = unjudged::sighting(&place, Demand::Launched, UnknownProcess::Hidden);
            scan.store_sighting(hidden);
        }
    }
}

impl Plugin {
    /// Returns a sighting of a process whose program could not be judged for this reason.
    fn sighting(&self, place: &Place, why: UnknownExecutable) -> Sighting {
        let Self { pid, command, activity, .. } = self;
        let (command, activity) = (command.clone(), activity.clone());
        let why = UnknownProcess::Program { pid: *pid, command, activity, why };
        Sighting {
            name: self.name.clone(),
            index: self.index.clone(),
            ..unjudged::sighting(&place.run_by(&[*pid]), Demand::Launched, why)
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
        _ => Err(Unreadable::new(SkipKind::Changed, "the process ended meanwhile")),
    }
}

/// Reports an executable, and its processes that are plugins without a trace of NRI in it. Returns
/// true if it is the bridge.
fn report(scan: &Scan<'_>, program: &Program) -> bool {
    let place = Place::from_path(&program.path).run_by(&program.pids);
    let exe = program.process.join("exe");
    let is_plugin = !program.plugins.is_empty();
    let read = visit::program(scan, &exe, &place, &named(program), is_plugin);
    let (mut observed, outcome) = read.unwrap_or_else(|error| {
        let skipped = Skipped::unreadable(place.clone(), Unreadable::from(&error));
        (Observations::skipped(skipped), FileOutcome::Unreadable)
    });
    let is_judged = observed.sightings.iter().any(|seen| seen.role == Role::Plugin);
    let is_bridge = observed.sightings.iter().any(bridged::is_bridge);
    if outcome == FileOutcome::OtherName {
        // Its findings are reported at its other place.
        observed = Observations::default();
    }
    if is_judged {
        explain(&mut observed.sightings, &program.plugins);
    } else if is_plugin && !is_bridge {
        let why = match observed.skipped.drain(..).next() {
            Some(skipped) => UnknownExecutable::Unread(skipped.reason),
            None => UnknownExecutable::NoTrace,
        };
        let plugins = program.plugins.iter();
        observed.sightings.extend(plugins.map(|plugin| plugin.sighting(&place, why.clone())));
    }
    scan.store(observed);
    scan.count(outcome);
    is_bridge
}

/// Adds to the sightings of plugins in a program what its processes do.
fn explain(sightings: &mut [Sighting], plugins: &[Plugin]) {
    let is_plugin = |seen: &&mut Sighting| seen.role == Role::Plugin;
    for seen in sightings.iter_mut().filter(is_plugin) {
        seen.evidence.extend(plugins.iter().map(|plugin| Evidence {
            reader: unjudged::READER,
            detail: format!("process {} {}", plugin.pid, plugin.activity),
        }));
    }
}

/// Returns the name of the executable, from which a plugin derives its own name.
fn named(program: &Program) -> String {
    let name = program.path.file_name().map_or(&b""[..], OsStr::as_encoded_bytes);
    let name = name.strip_suffix(DELETED).unwrap_or(name);
    escape::bytes(name)
}

/// Returns the inodes of the sockets in `wanted` that a process has open.
fn open_sockets(process: &Path, wanted: &BTreeMap<u32, PathBuf>) -> BTreeSet<u32> {
    let files = process.join("fd").read_dir().into_iter().flatten().flatten();
    let targets = files.filter_map(|file| file.path().read_link().ok());
    let inodes = targets.filter_map(|target| {
        let inode = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        inode.parse().ok()
    });
    inodes.filter(|inode| wanted.contains_key(inode)).collect()
}

/// Returns the name and index with which a runtime started a process as a plugin. The children of
/// the process inherit the variables, and are none.
fn launched(proc: &Path, pid: u32) -> Option<(Option<String>, Option<String>)> {
    let folder = |process: u32| proc.join(process.to_string());
    let name = variable(&folder(pid), NAME_VARIABLE)?;
    let parent = parent(&folder(pid));
    if parent.is_some_and(|parent| variable(&folder(parent), NAME_VARIABLE).is_some()) {
        return None;
    }
    let shown = |text: String| (!text.is_empty()).then(|| escape::bytes(text.as_bytes()));
    let index = variable(&folder(pid), INDEX_VARIABLE);
    Some((shown(name), index.and_then(shown)))
}

/// Returns a variable in the environment of a process.
fn variable(process: &Path, name: &str) -> Option<String> {
    let texts = texts(&process.join("environ"));
    let mut values = texts.iter().filter_map(|text| text.strip_prefix(name));
    values.find_map(|rest| Some(rest.strip_prefix('=')?.to_owned()))
}

fn parent(process: &Path) -> Option<u32> {
    let status = texts(&process.join("status"));
    let mut lines = status.iter().flat_map(|text| text.lines());
    lines.find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

/// Returns the command line of a process as one short text.
fn command(process: &Path) -> String {
    let words = texts(&process.join("cmdline")).join(" ");
    let short: String = words.chars().take(MAX_COMMAND).collect();
    escape::bytes(short.as_bytes())
}

/// Returns the texts in a file that end with NUL; none if it cannot be read.
fn texts(file: &Path) -> Vec<String> {
    let mut all = Vec::new();
    if let Ok(file) = File::open(file) {
        // The part before an error counts.
        let _ = file.take(MAX_TEXT).read_to_end(&mut all);
    }
    let texts = all.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
    texts.filter(|text| !text.is_empty()).collect()
}
