//! The folders with the manifests of static pods, which the kubelet of a machine starts without an
//! API server.

use std::path::Path;

use serde::Deserialize;

use super::{Folder, document};
use crate::bounded_yaml;
use crate::check::find::machine_root::MachineRoot;
use crate::escape;

/// The usual folders: those of kubeadm and Talos, k3s, and RKE2.
const FOLDERS: [&str; 3] = [
    "/etc/kubernetes/manifests",
    "/var/lib/rancher/k3s/agent/pod-manifests",
    "/var/lib/rancher/rke2/agent/pod-manifests",
];

/// The usual configurations of the kubelet: those of kubeadm, Talos, and EKS.
const CONFIGURATIONS: [&str; 4] = [
    "/var/lib/kubelet/config.yaml",
    "/etc/kubernetes/kubelet.yaml",
    "/etc/kubernetes/kubelet/kubelet-config.json",
    "/etc/kubernetes/kubelet/config.json",
];

/// The setting of a configuration, which is a file or a folder.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kubelet {
    static_pod_path: Option<String>,
}

/// Returns the files and folders with manifests of static pods on a machine: those that exist.
pub(super) fn static_pods(root: &MachineRoot) -> Vec<Folder> {
    let configured = CONFIGURATIONS.iter().filter_map(|file| configured(&root.below(file), root));
    let usual = FOLDERS.iter().map(|folder| Folder {
        path: root.below(folder),
        has_plugins: false,
        configured_in: None,
    });
    let mut all: Vec<Folder> = Vec::new();
    for folder in configured.chain(usual) {
        let is_known = all.iter().any(|known| known.path == folder.path);
        if !is_known && root.resolve(&folder.path).is_ok() {
            all.push(folder);
        }
    }
    all
}

/// Returns the path that a configuration of the kubelet names.
fn configured(file: &Path, root: &MachineRoot) -> Option<Folder> {
    let real = root.resolve(file).ok()?;
    let text = document::text(&real).ok()?;
    let kubelet: Kubelet = bounded_yaml::read(&text).ok()?;
    let path = kubelet.static_pod_path.filter(|path| path.starts_with('/'))?;
    Some(Folder {
        path: root.below(path),
        has_plugins: false,
        configured_in: Some(escape::path(file)),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn folders_are_those_of_configurations_and_the_usual_ones_that_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = MachineRoot::new(folder.path());
        assert_eq!(static_pods(&root), []);
        let write = |file: &str, text: &str| {
            let file = root.below(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        };
        write("/var/lib/rancher/rke2/agent/pod-manifests/a.yaml", "");
        write("/etc/static/a.yaml", "");
        write(
            "/var/lib/kubelet/config.yaml",
            "kind: KubeletConfiguration\nstaticPodPath: /etc/static\n",
        );
        write("/etc/kubernetes/kubelet.yaml", "staticPodPath: /etc/none\n");
        write("/etc/kubernetes/kubelet/config.json", "{");
        let found: Vec<PathBuf> = static_pods(&root).into_iter().map(|one| one.path).collect();
        let expected = ["/etc/static", "/var/lib/rancher/rke2/agent/pod-manifests"];
        assert_eq!(found, expected.map(|path| root.below(path)));
    }
}
