//! The default places to check: the folders that the runtimes of the machine use, and those of
//! v0.1.0.

use std::io;
use std::path::{Path, PathBuf};

use super::{Configured, Folder, containerd, crio, defaults, document};
use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};

/// A usual place of containerd's configuration.
#[derive(Debug)]
struct Usual {
    /// The file that containerd reads.
    file: &'static str,
    /// Files and patterns that the distribution makes this file from when it starts. They are read if
    /// it has not made the file yet.
    sources: &'static [&'static str],
}

/// The places of containerd's configuration. kind, EKS, GKE, AKS and Bottlerocket use the first one.
const CONTAINERD: &[Usual] = &[
    plain("/etc/containerd/config.toml"),
    // Flatcar.
    plain("/usr/share/containerd/config.toml"),
    // k0s: a file that replaces the generated one, which imports the drop-ins.
    plain("/etc/k0s/containerd.toml"),
    Usual {
        file: "/run/k0s/containerd-cri.toml",
        sources: &["/etc/k0s/containerd.d/*.toml"],
    },
    // k3s and RKE2, <https://docs.k3s.io/advanced#configuring-containerd>.
    Usual {
        file: "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        sources: &[
            "/var/lib/rancher/k3s/agent/etc/containerd/config.toml.tmpl",
            "/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.tmpl",
            "/var/lib/rancher/k3s/agent/etc/containerd/config.toml.d/*.toml",
            "/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.d/*.toml",
        ],
    },
    Usual {
        file: "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
        sources: &[
            "/var/lib/rancher/rke2/agent/etc/containerd/config.toml.tmpl",
            "/var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl",
            "/var/lib/rancher/rke2/agent/etc/containerd/config.toml.d/*.toml",
            "/var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.d/*.toml",
        ],
    },
    // MicroK8s.
    Usual {
        file: "/var/snap/microk8s/current/args/containerd.toml",
        sources: &["/var/snap/microk8s/current/args/containerd-template.toml"],
    },
    // Canonical Kubernetes.
    plain("/var/snap/k8s/common/etc/containerd/config.toml"),
    // Talos.
    Usual {
        file: "/etc/cri/containerd.toml",
        sources: &["/etc/cri/conf.d/*.toml"],
    },
    // Docker with its own containerd.
    plain("/run/docker/containerd/containerd.toml"),
];

/// The path of CRI-O's configuration.
const CRIO: &str = "/etc/crio/crio.conf";

/// The paths of v0.1.0 plugins and their configuration, which NRI's `skel` and its client
/// hard-code, and whether runtimes start the executables in them.
const ONE_SHOT: [(&str, bool); 2] = [("/opt/nri/bin", true), ("/etc/nri/conf.json", false)];

const fn plain(file: &'static str) -> Usual {
    Usual { file, sources: &[] }
}

/// The places to check on a machine.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Machine {
    /// The configured runtimes.
    pub(in crate::check::collect) configured: Vec<Configured>,
    /// Folders and files that are used without a configuration.
    pub(in crate::check::collect) folders: Vec<Folder>,
    /// The usual places of configurations that have none.
    pub(in crate::check::collect) absent: Vec<String>,
    /// Configurations that cannot be read.
    pub(in crate::check::collect) skipped: Vec<Skipped>,
}

/// Returns the places of a machine.
pub(in crate::check::collect) fn machine(root: &MachineRoot) -> Machine {
    let mut machine = Machine::default();
    for usual in CONTAINERD {
        machine.containerd(usual, root);
    }
    machine.crio(root);
    if machine.configured.is_empty() {
        machine.defaults(root);
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
    fn containerd(&mut self, usual: &Usual, root: &MachineRoot) {
        let file = root.below(usual.file);
        match root.resolve(&file) {
            Ok(_) => self
                .configured
                .push(containerd::read(&file, vec![file.clone()], root)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let sources = Self::sources(usual, root);
                match sources.first() {
                    Some(first) => {
                        self.configured
                            .push(containerd::read(first, sources.clone(), root))
                    }
                    None => self.absent.push(escape::path(&file)),
                }
            }
            Err(error) => {
                let skipped =
                    Skipped::unreadable(Place::from_path(&file), Unreadable::from(&error));
                self.skipped.push(skipped);
            }
        }
    }

    /// Returns the files that a configuration would be made from.
    fn sources(usual: &Usual, root: &MachineRoot) -> Vec<PathBuf> {
        let patterns = usual.sources.iter().map(|source| root.below(source));
        let files = patterns.map(|pattern| document::expand(&pattern, root));
        files.flat_map(Result::unwrap_or_default).collect()
    }

    fn crio(&mut self, root: &MachineRoot) {
        let file = root.below(CRIO);
        if root.resolve(&file).is_ok() || root.resolve(&crio::folder(&file)).is_ok() {
            self.configured.push(crio::read(&file, root));
        } else {
            self.absent.push(escape::path(&file));
        }
    }

    /// Adds the default folders of all runtimes.
    fn defaults(&mut self, root: &MachineRoot) {
        for runtime in ["containerd", "cri-o"] {
            let (plugins, configs) = defaults(runtime);
            for (path, has_plugins) in [(plugins, true), (configs, false)] {
                let folder = path.map(|path| default(root, path, has_plugins));
                self.folders.extend(folder);
            }
        }
    }
}
