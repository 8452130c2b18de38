//! What to look at when nobody says: the folders that the machine's runtimes use, and those of v0.1.0.

use std::path::{Path, PathBuf};

use super::{Configured, absent, below, containerd, crio, defaults};
use crate::check::escape;
use crate::check::skipped::Skipped;

/// Where containerd's configuration is, by default and in distributions that bring their own.
const CONTAINERD: [&str; 5] = [
    "/etc/containerd/config.toml",
    "/etc/k0s/containerd.toml",
    "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
    "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
    "/var/snap/microk8s/current/args/containerd.toml",
];

/// Where CRI-O's is.
const CRIO: &str = "/etc/crio/crio.conf";

/// Where v0.1.0 plugins and their configuration are: fixed in NRI's `skel` and its client.
const ONE_SHOT: [&str; 2] = ["/opt/nri/bin", "/etc/nri/conf.json"];

/// Where to look on a machine.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Machine {
    /// Folders and files that exist, each once.
    pub(in crate::check::collect) paths: Vec<PathBuf>,
    /// Lines for the report: configurations, and every place with whether it exists.
    pub(in crate::check::collect) looked_at: Vec<String>,
    /// Files of configurations that cannot be read.
    pub(in crate::check::collect) skipped: Vec<Skipped>,
}

/// The places of the machine whose file system is at `root`.
pub(in crate::check::collect) fn machine(root: &Path) -> Machine {
    let mut machine = Machine::default();
    let configured = configured(root);
    if configured.is_empty() {
        for runtime in ["containerd", "cri-o"] {
            let (plugins, configs) = defaults(runtime);
            let both = [plugins, configs];
            let places = both.iter().flatten().map(|path| below(root, path));
            places.for_each(|place| machine.add(place));
        }
    }
    for runtime in configured {
        machine.looked_at.push(runtime.line());
        let folders = runtime.folders(root);
        machine.skipped.extend(runtime.skipped);
        folders.into_iter().for_each(|place| machine.add(place));
    }
    for place in ONE_SHOT {
        machine.add(below(root, place));
    }
    machine
}

fn configured(root: &Path) -> Vec<Configured> {
    let files = CONTAINERD.iter().map(|file| below(root, file));
    let mut all: Vec<Configured> = files
        .filter(|file| file.exists())
        .map(|file| containerd::read(&file, root))
        .collect();
    let crio = below(root, CRIO);
    if crio.exists() || crio::folder(&crio).exists() {
        all.push(crio::read(&crio));
    }
    all
}

impl Machine {
    fn add(&mut self, place: PathBuf) {
        let line = match place.exists() {
            true => escape::path(&place),
            false => absent(&place),
        };
        if !self.looked_at.contains(&line) {
            self.looked_at.push(line);
            self.paths.extend(place.exists().then_some(place));
        }
    }
}
