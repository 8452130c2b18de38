//! The default places to check: the folders that the runtimes of the machine use, and those of
//! v0.1.0.

use std::io;
use std::path::{Path, PathBuf};

use super::{Configured, Folder, containerd, crio, kubelet};
use crate::check::find::machine_root::MachineRoot;
use crate::escape;
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};

/// The usual places of containerd's configuration: the file that containerd reads, and files and
/// patterns, relative to its folder, that the distribution makes this file from when it starts.
/// They are read if it has not made the file yet.
///
/// kind, EKS, GKE, AKS and Bottlerocket use the first one.
const CONTAINERD: [(&str, &[&str]); 10] = [
    ("/etc/containerd/config.toml", &[]),
    // Flatcar.
    ("/usr/share/containerd/config.toml", &[]),
    // k0s: a file that replaces the generated one, which imports the drop-ins.
    ("/etc/k0s/containerd.toml", &[]),
    ("/run/k0s/containerd-cri.toml", &["/etc/k0s/containerd.d/*.toml"]),
    ("/var/lib/rancher/k3s/agent/etc/containerd/config.toml", &RANCHER),
    ("/var/lib/rancher/rke2/agent/etc/containerd/config.toml", &RANCHER),
    // MicroK8s.
    ("/var/snap/microk8s/current/args/containerd.toml", &["containerd-template.toml"]),
    // Canonical Kubernetes.
    ("/var/snap/k8s/common/etc/containerd/config.toml", &[]),
    // Talos.
    ("/etc/cri/containerd.toml", &["conf.d/*.toml"]),
    // Docker with its own containerd.
    ("/run/docker/containerd/containerd.toml", &[]),
];

/// The sources of k3s and RKE2, <https://docs.k3s.io/advanced#configuring-containerd>.
const RANCHER: [&str; 4] =
    ["config.toml.tmpl", "config-v3.toml.tmpl", "config.toml.d/*.toml", "config-v3.toml.d/*.toml"];

/// The path of CRI-O's configuration.
const CRIO: &str = "/etc/crio/crio.conf";

/// The paths of v0.1.0 plugins and their configuration, which NRI's `skel` and its client
/// hard-code, and whether runtimes start the executables in them.
const ONE_SHOT: [(&str, bool); 2] = [("/opt/nri/bin", true), ("/etc/nri/conf.json", false)];

/// The places to check on a machine.
#[derive(Debug, Default)]
pub(in crate::check) struct Machine {
    /// The configured runtimes.
    pub(in crate::check) configured: Vec<Configured>,
    /// Folders and files that are used without a configuration.
    pub(in crate::check) folders: Vec<Folder>,
    /// The usual places of configurations that have none.
    pub(in crate::check) absent: Vec<String>,
    /// Configurations that cannot be read.
    pub(in crate::check) skipped: Vec<Skipped>,
}

/// Returns the places of a machine.
pub(in crate::check) fn machine(root: &MachineRoot) -> Machine {
    let mut machine = Machine::default();
    for (file, sources) in CONTAINERD {
        machine.containerd(&root.below(file), sources, root);
    }
    machine.crio(root);
    if machine.configured.is_empty() {
        for runtime in ["containerd", "cri-o"] {
            let defaults = Configured::new(runtime, Path::new("")).folders(root);
            machine.folders.extend(defaults);
        }
    }
    machine.folders.extend(kubelet::static_pods(root));
    machine.folders.extend(ONE_SHOT.map(|(path, has_plugins)| Folder {
        path: root.below(path),
        has_plugins,
        configured_in: None,
    }));
    machine
}

impl Machine {
    fn containerd(&mut self, file: &Path, sources: &[&str], root: &MachineRoot) {
        let files: Vec<PathBuf> = match root.resolve(file) {
            Ok(_) => vec![file.to_owned()],
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let sources = containerd::imports(sources, file, root).unwrap_or_default();
                let exists = |source: &PathBuf| root.resolve(source).is_ok();
                sources.into_iter().filter(exists).collect()
            }
            Err(error) => {
                let (place, why) = (Place::from_path(file), Unreadable::from(&error));
                return self.skipped.push(Skipped::unreadable(place, why));
            }
        };
        match files.first() {
            Some(first) => {
                let configured = containerd::read(&first.clone(), files, root);
                self.configured.push(configured);
            }
            None => self.absent.push(escape::path(file)),
        }
    }

    fn crio(&mut self, root: &MachineRoot) {
        let file = root.below(CRIO);
        if root.resolve(&file).is_ok() || root.resolve(&crio::folder(&file)).is_ok() {
            self.configured.push(crio::read(&file, root));
        } else {
            self.absent.push(escape::path(&file));
        }
    }
}
