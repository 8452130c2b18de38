//! The paths to start from: those that the user named, or those that the runtimes of a machine use.

use std::path::{Path, PathBuf};

use super::configurations::Configurations;
use super::machine_root::MachineRoot;
use super::runtime::{self, Configured};
use crate::arguments::{STDIN_PLACE, is_stdin};
use crate::check::evidence;
use crate::check::observations::{Demand, PLUGIN_FOLDER};
use crate::check::request::Request;
use crate::check::scan::Scan;
use crate::check::unjudged;
use crate::escape;
use crate::place::Place;
use crate::skipped::{SkipKind, Skipped, Unreadable};
use crate::system;
use crate::unknown::UnknownFile;

/// A path to start from.
#[derive(Clone, Debug)]
pub(in crate::check) struct Root {
    /// The path without links.
    pub(in crate::check) path: PathBuf,
    /// The path as the user spelled it.
    pub(in crate::check) shown: PathBuf,
    /// True if the user named it.
    pub(in crate::check) is_named: bool,
    /// True if runtimes start the executables in it.
    pub(in crate::check) is_plugin_folder: bool,
}

/// The paths to start from.
#[derive(Debug, Default)]
pub(in crate::check) struct Roots {
    machine: MachineRoot,
    /// Single files, in the order given.
    pub(in crate::check) files: Vec<Root>,
    /// Pipes and standard input.
    pub(in crate::check) streams: Vec<PathBuf>,
    /// Folders, none of which is within another.
    pub(in crate::check) folders: Vec<Root>,
    /// The NRI sockets that configurations name.
    pub(in crate::check) sockets: Vec<PathBuf>,
    /// The usual places of configurations that have none.
    pub(in crate::check) without_configuration: Vec<String>,
    /// All paths, as shown in the report.
    pub(in crate::check) looked_at: Vec<String>,
    /// The findings about the configurations.
    pub(in crate::check) configurations: Configurations,
}

impl Root {
    /// Returns true if a runtime starts the executables of this folder.
    pub(in crate::check) fn launches(&self, folder: &Path) -> bool {
        self.is_plugin_folder && folder == self.path || folder.ends_with(PLUGIN_FOLDER)
    }

    /// Returns the demand for a verdict on a file in this folder. If the user named the folder,
    /// files with plugin names are assumed to be plugins.
    pub(in crate::check) fn demand(&self, file: &Path, is_launched: bool) -> Demand {
        let is_plugin_name = || {
            let name = file.file_name().and_then(|name| name.to_str());
            name.is_some_and(evidence::is_plugin_name)
        };
        let is_direct = || self.is_named && file.parent() == Some(&self.path);
        if is_launched || is_direct() && is_plugin_name() {
            Demand::Launched
        } else {
            Demand::Walked
        }
    }
}

impl Roots {
    /// Resolves the requested paths. Those that do not exist are listed as skipped and missing.
    pub(in crate::check) fn resolve(
        scan: &Scan<'_>,
        request: &Request<'_>,
        machine: &MachineRoot,
        configurations: Configurations,
    ) -> Self {
        let mut roots = Self { machine: machine.clone(), configurations, ..Self::default() };
        if let Err(error) = machine.folder().read_dir() {
            let place = Place::from_path(machine.folder());
            missing(scan, place, &error);
        }
        for path in &request.paths {
            roots.named(scan, path);
        }
        for file in &request.config_files {
            roots.config_file(scan, file);
        }
        let images = request.images.iter().map(|image| &image.place);
        // The images of workloads are not places that the user named.
        for place in images.filter(|place| place.workload.is_none()) {
            if !roots.looked_at.contains(&place.file) {
                roots.looked_at.push(place.file.clone());
            }
        }
        if request.processes {
            let proc = machine.folder().join("proc");
            roots.looked_at.push(format!("{} (processes)", escape::path(&proc)));
            for configured in runtime::machine(machine).configured {
                roots.socket(&configured);
                roots.configurations.judge(&configured, machine);
            }
        } else if request.is_for_machine() {
            roots.machine(scan);
        }
        roots.outermost();
        roots
    }

    fn named(&mut self, scan: &Scan<'_>, path: &Path) {
        // A named pipe, a process substitution, or `/dev/stdin`.
        let is_pipe = || path.metadata().is_ok_and(|file| system::is_pipe(&file));
        if is_stdin(path) || is_pipe() {
            self.looked_at.push(stream_name(path));
            return self.streams.push(path.to_owned());
        }
        let real = self.machine.resolve(path);
        let configured =
            real.as_ref().ok().and_then(|real| runtime::read(real, path, &self.machine));
        if let Some(configured) = configured {
            return self.configured(scan, configured);
        }
        self.looked_at.push(escape::path(path));
        match real {
            Ok(real) => self.add(real, path, true, false),
            Err(error) => missing(scan, Place::from_path(path), &error),
        }
    }

    /// Adds the folders of a file that must be a configuration.
    fn config_file(&mut self, scan: &Scan<'_>, file: &Path) {
        let real = self.machine.resolve(file);
        let configured = real.map(|real| runtime::read(&real, file, &self.machine));
        let why = match configured {
            Ok(Some(configured)) => return self.configured(scan, configured),
            Ok(None) => UnknownFile::NoConfiguration,
            Err(error) => {
                scan.gathered().collected.missing.push(escape::path(file));
                UnknownFile::Unread(Unreadable::from(&error).reason)
            }
        };
        self.looked_at.push(escape::path(file));
        unjudged::report(scan, &Place::from_path(file), Demand::Named, why);
    }

    /// Adds the folders that a configuration names, and reports missing ones.
    fn configured(&mut self, scan: &Scan<'_>, configured: Configured) {
        let state = self.configurations.judge(&configured, &self.machine);
        self.looked_at.push(configured.line(state.as_deref()));
        self.socket(&configured);
        for folder in configured.folders(&self.machine) {
            self.folder(scan, &folder);
        }
        scan.skip_all(configured.skipped);
    }

    /// Adds the socket that a configuration names, as the runtime and as this program may see it.
    fn socket(&mut self, configured: &Configured) {
        if let Some(socket) = &configured.nri.socket {
            self.sockets.push(PathBuf::from(socket));
            self.sockets.push(self.machine.below(socket));
        }
    }

    fn machine(&mut self, scan: &Scan<'_>) {
        let machine = runtime::machine(&self.machine);
        self.without_configuration = machine.absent;
        scan.skip_all(machine.skipped);
        for configured in machine.configured {
            self.configured(scan, configured);
        }
        for folder in &machine.folders {
            self.folder(scan, folder);
        }
    }

    fn folder(&mut self, scan: &Scan<'_>, folder: &runtime::Folder) {
        let real = self.machine.resolve(&folder.path);
        let shown = escape::path(&folder.path);
        let line = if real.is_ok() { shown } else { format!("{shown} (not there)") };
        if self.looked_at.contains(&line) {
            return;
        }
        self.looked_at.push(line);
        match real {
            Ok(real) => self.add(real, &folder.path, false, folder.has_plugins),
            Err(error) => scan.skip_all(not_there(folder, &error)),
        }
    }

    fn add(&mut self, path: PathBuf, shown: &Path, is_named: bool, is_plugin_folder: bool) {
        let to = if path.is_dir() { &mut self.folders } else { &mut self.files };
        if let Some(known) = to.iter_mut().find(|root| root.path == path) {
            known.is_plugin_folder |= is_plugin_folder;
            return;
        }
        to.push(Root { path, shown: shown.to_owned(), is_named, is_plugin_folder });
    }

    fn outermost(&mut self) {
        let all = self.folders.clone();
        self.folders.retain(|inner| {
            let contains =
                |outer: &Root| outer.path != inner.path && inner.path.starts_with(&outer.path);
            inner.is_plugin_folder || !all.iter().any(contains)
        });
        // A plugin folder within another folder is walked first, so that its files are found under
        // their own names.
        self.folders.sort_by_key(|folder| !folder.is_plugin_folder);
    }
}

/// Lists a named path as missing and as skipped.
fn missing(scan: &Scan<'_>, place: Place, error: &std::io::Error) {
    scan.gathered().collected.missing.push(place.to_string());
    scan.skip(place, Unreadable::from(error));
}

/// Returns the entry for a folder that cannot be opened. A default folder is optional, and a
/// finding about the configuration names another one that does not exist.
fn not_there(folder: &runtime::Folder, error: &std::io::Error) -> Option<Skipped> {
    let why = Unreadable::from(error);
    let reason = match &folder.configured_in {
        Some(by) => format!("{why}, but {by} names it"),
        None => why.reason.clone(),
    };
    (why.kind != SkipKind::NotFound)
        .then(|| Skipped::new(Place::from_path(&folder.path), why.kind, reason))
}

/// Returns the name of a stream in the report.
pub(in crate::check) fn stream_name(path: &Path) -> String {
    if is_stdin(path) { STDIN_PLACE.to_owned() } else { escape::path(path) }
}

/// Opens a stream.
pub(in crate::check) fn open_stream(path: &Path) -> std::io::Result<Box<dyn std::io::Read>> {
    if is_stdin(path) {
        return Ok(Box::new(std::io::stdin()));
    }
    Ok(Box::new(std::fs::File::open(path)?))
}
