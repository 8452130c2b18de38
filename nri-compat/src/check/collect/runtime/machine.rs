//! The default places to check: the folders that the runtimes of the machine use, and those of
//! v0.1.0.

use std::path::{Path, PathBuf};

use super::command::{self, Named};
use super::{Configured, Folder, containerd, crio, defaults, units};
use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::place::Place;
use crate::report::check::NO_CONFIGURATION;
use crate::skipped::{Skipped, Unreadable};

/// The paths of containerd's configuration: the default, and those of distributions that include
/// containerd.
const CONTAINERD: [&str; 10] = [
    "/etc/containerd/config.toml",
    "/usr/share/containerd/config.toml",
    "/etc/k0s/containerd.toml",
    "/run/k0s/containerd-cri.toml",
    "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
    "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
    "/var/snap/microk8s/current/args/containerd.toml",
    "/var/snap/k8s/common/etc/containerd/config.toml",
    "/etc/cri/containerd.toml",
    "/run/docker/containerd/containerd.toml",
];

/// The path of CRI-O's configuration.
const CRIO: &str = "/etc/crio/crio.conf";

/// The paths of v0.1.0 plugins and their configuration, which NRI's `skel` and its client
/// hard-code.
const ONE_SHOT: [(&str, bool); 2] = [("/opt/nri/bin", true), ("/etc/nri/conf.json", false)];

/// The maximum number of processes whose command lines are read.
const MAX_PROCESSES: usize = 100_000;

/// The maximum length of a command line in bytes.
const MAX_COMMAND_LINE: usize = 1 << 20;

/// The places to check on a machine.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Machine {
    /// The configured runtimes.
    pub(in crate::check::collect) configured: Vec<Configured>,
    /// Folders and files that are used without a configuration.
    pub(in crate::check::collect) folders: Vec<Folder>,
    /// Lines for the report about the places that were searched for configurations.
    pub(in crate::check::collect) looked_at: Vec<String>,
    /// Named configurations that cannot be read.
    pub(in crate::check::collect) skipped: Vec<Skipped>,
}

/// Returns the places of a machine.
pub(in crate::check::collect) fn machine(root: &MachineRoot) -> Machine {
    let mut machine = Machine::default();
    machine.usual(root);
    for (by, named) in units::named(root) {
        machine.named(root, named, by);
    }
    for (by, named) in running(root) {
        machine.named(root, named, by);
    }
    if machine.configured.is_empty() {
        for runtime in ["containerd", "cri-o"] {
            let (plugins, configs) = defaults(runtime);
            let both = [(plugins, true), (configs, false)];
            for (path, has_plugins) in both {
                machine
                    .folders
                    .extend(path.map(|path| default(root, path, has_plugins)));
            }
        }
    }
    let one_shot = ONE_SHOT.map(|(path, has_plugins)| default(root, path, has_plugins));
    machine.folders.extend(one_shot);
    machine
}

fn default(root: &MachineRoot, path: impl AsRef<Path>, has_plugins: bool) -> Folder {
    Folder {
        path: root.below(path),
        has_plugins,
        configured_in: None,
    }
}

impl Machine {
    /// Adds the configurations in default places, and a line for each default place without one.
    fn usual(&mut self, root: &MachineRoot) {
        let mut absent = Vec::new();
        for path in CONTAINERD {
            let file = root.below(path);
            match root.resolve(&file) {
                Ok(_) => self.configured.push(containerd::read(&file, root)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    absent.push(escape::path(&file))
                }
                Err(error) => self.skip(&file, Unreadable::from(&error)),
            }
        }
        let crio = root.below(CRIO);
        if root.resolve(&crio).is_ok() || root.resolve(&crio::folder(&crio)).is_ok() {
            self.configured.push(crio::read(&crio, root));
        } else {
            absent.push(escape::path(&crio));
        }
        let absent = absent.into_iter();
        self.looked_at
            .extend(absent.map(|file| file + NO_CONFIGURATION));
        self.looked_at
            .push("systemd units and command lines".to_owned());
    }

    /// Adds a configuration that a unit or a process names.
    fn named(&mut self, root: &MachineRoot, named: Named, by: String) {
        let file = root.below(&named.file);
        if self.configured.iter().any(|known| known.file == file) {
            return;
        }
        if let Err(error) = root.resolve(&file) {
            let why = Unreadable::from(&error);
            return self.skip(
                &file,
                Unreadable::new(why.kind, format!("{why}, but {by} names it")),
            );
        }
        let mut configured = if named.runtime == "cri-o" {
            crio::read(&file, root)
        } else {
            containerd::read(&file, root)
        };
        configured.named_by = Some(by);
        self.configured.push(configured);
    }

    fn skip(&mut self, file: &Path, why: Unreadable) {
        let skipped = Skipped::unreadable(Place::of(file), why);
        if !self.skipped.contains(&skipped) {
            self.skipped.push(skipped);
        }
    }
}

/// Returns the configurations that running runtimes were started with.
fn running(root: &MachineRoot) -> Vec<(String, Named)> {
    let proc = root.folder().join("proc");
    let entries = proc.read_dir().into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut pids: Vec<u32> = pids.take(MAX_PROCESSES).collect();
    pids.sort_unstable();
    pids.into_iter()
        .filter_map(|pid| {
            Some((
                format!("process {pid}"),
                started(&proc.join(pid.to_string()))?,
            ))
        })
        .collect()
}

/// Returns the configuration that a process names; a relative path is relative to its working
/// folder.
fn started(process: &Path) -> Option<Named> {
    let mut line = std::fs::read(process.join("cmdline")).ok()?;
    line.truncate(MAX_COMMAND_LINE);
    let words: Vec<String> = line
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let mut named = command::named(&words, &[])?;
    if !Path::new(&named.file).is_absolute() {
        let folder: PathBuf = process.join("cwd").read_link().ok()?;
        named.file = folder.join(&named.file).to_str()?.to_owned();
    }
    Some(named)
}
