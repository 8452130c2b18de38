//! The default places to check: the folders that the runtimes of the machine use, and those of
//! v0.1.0.

use std::path::Path;

use super::command::Named;
use super::{Configured, Folder, containerd, crio, defaults, processes, rancher, units};
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
    let found = units::named(root);
    let found = found.into_iter().chain(rancher::named(root));
    for (by, named) in found.chain(processes::named(root)) {
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
            self.configured
                .push(crio::read(&crio, &crio::folder(&crio), root));
        } else {
            absent.push(escape::path(&crio));
        }
        let absent = absent.into_iter();
        self.looked_at
            .extend(absent.map(|file| file + NO_CONFIGURATION));
        self.looked_at
            .push("systemd units and command lines".to_owned());
    }

    /// Adds the configuration that a unit, a file or a process names.
    fn named(&mut self, root: &MachineRoot, named: Named, by: String) {
        let file = match &named.file {
            Some(file) => root.below(file),
            None => root.below(default_file(named.runtime)),
        };
        if named.file.is_some()
            && let Err(error) = root.resolve(&file)
        {
            let why = Unreadable::from(&error);
            self.skip(
                &file,
                Unreadable::new(why.kind, format!("{why}, but {by} names it")),
            );
            if !named.has_more() {
                return;
            }
        }
        let mut configured = if named.runtime == "cri-o" {
            let folder = named.drop_ins.map(|folder| root.below(folder));
            let folder = folder.unwrap_or_else(|| crio::folder(&root.below(CRIO)));
            crio::read(&file, &folder, root)
        } else {
            containerd::read(&file, root)
        };
        configured.named_by = Some(by);
        configured.command_line = named.nri;
        if !self.configured.iter().any(|known| known.says(&configured)) {
            self.configured.push(configured);
        }
    }

    fn skip(&mut self, file: &Path, why: Unreadable) {
        let skipped = Skipped::unreadable(Place::of(file), why);
        if !self.skipped.contains(&skipped) {
            self.skipped.push(skipped);
        }
    }
}

/// Returns the path of a runtime's configuration unless its command line names another.
fn default_file(runtime: &str) -> &'static str {
    let [containerd, ..] = CONTAINERD;
    if runtime == "cri-o" { CRIO } else { containerd }
}
