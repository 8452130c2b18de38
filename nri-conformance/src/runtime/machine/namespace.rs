//! The namespaces of a pod.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nri::api::PodSandbox;

use super::{Machine, Namespace, Pause};
use crate::runtime::event::namespace_path;

/// The namespaces that the containers of a pod share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NamespaceKind {
    /// Interprocess communication.
    Ipc,
    /// The network.
    Network,
    /// The host name.
    Uts,
}

impl NamespaceKind {
    /// All namespaces.
    pub(crate) const ALL: [NamespaceKind; 3] = [
        NamespaceKind::Ipc,
        NamespaceKind::Network,
        NamespaceKind::Uts,
    ];

    /// Returns the name in OCI specs and NRI events.
    fn oci_name(self) -> &'static str {
        match self {
            NamespaceKind::Ipc => "ipc",
            NamespaceKind::Network => "network",
            NamespaceKind::Uts => "uts",
        }
    }

    /// Returns the name of its file in `/proc/PID/ns`.
    fn proc_name(self) -> &'static str {
        match self {
            NamespaceKind::Ipc => "ipc",
            NamespaceKind::Network => "net",
            NamespaceKind::Uts => "uts",
        }
    }
}

impl fmt::Display for NamespaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.oci_name())
    }
}

impl Machine {
    pub(super) fn namespaces(&self, pod: &PodSandbox, pause: Pause) -> Vec<Namespace> {
        NamespaceKind::ALL
            .into_iter()
            .map(|kind| self.namespace(kind, pod, pause))
            .collect()
    }

    fn namespace(&self, kind: NamespaceKind, pod: &PodSandbox, pause: Pause) -> Namespace {
        let file = self.namespace_file(kind, pod, pause);
        let inode = file.as_deref().and_then(inode);
        let own = inode_of_node(self, kind);
        Namespace {
            kind,
            file,
            inode,
            shared_with_node: inode.is_some() && inode == own,
        }
    }

    /// Returns the file of a namespace: the path in the event, else that of the process of the sandbox.
    pub(super) fn namespace_file(
        &self,
        kind: NamespaceKind,
        pod: &PodSandbox,
        pause: Pause,
    ) -> Option<PathBuf> {
        let named = namespace_path(pod, kind.oci_name()).map(|path| self.at(path));
        let of_process = match pause {
            Pause::Running(pid) => Some(self.at(format!("proc/{pid}/ns/{}", kind.proc_name()))),
            Pause::Ended(_) | Pause::Unknown => None,
        };
        named.or(of_process)
    }
}

fn inode_of_node(machine: &Machine, kind: NamespaceKind) -> Option<u64> {
    inode(&machine.at(format!("proc/1/ns/{}", kind.proc_name())))
}

/// Returns the number of a namespace: a file in `/proc/PID/ns` is a link to a name such as `net:[4026531840]`, and a
/// file that a namespace is mounted on has the same number as its inode.
fn inode(file: &Path) -> Option<u64> {
    if let Ok(target) = fs::read_link(file) {
        let name = target.to_string_lossy().into_owned();
        let number = name.split_once(":[")?.1.strip_suffix(']')?;
        return number.parse().ok();
    }
    let metadata = fs::metadata(file).ok()?;
    // When the namespace is gone, an empty file on another file system remains.
    let is_namespace = metadata.dev() == fs::metadata("/proc/self/ns/net").ok()?.dev();
    is_namespace.then(|| metadata.ino())
}
