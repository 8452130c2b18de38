//! The namespaces of a pod.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nri::api::PodSandbox;

use super::{Machine, Namespace, Pause};
use crate::runtime::event::namespace_path;

/// The namespaces that the containers of a pod share: their names in OCI specs and NRI events, and in `/proc/PID/ns`.
const SHARED: [(&str, &str); 3] = [("ipc", "ipc"), (NETWORK, "net"), ("uts", "uts")];

/// The name of the network namespace in OCI specs.
pub(crate) const NETWORK: &str = "network";

impl Machine {
    pub(super) fn namespaces(&self, pod: &PodSandbox, pause: Pause) -> Vec<Namespace> {
        SHARED
            .into_iter()
            .map(|kind| self.namespace(kind, pod, pause))
            .collect()
    }

    fn namespace(
        &self,
        (kind, file): (&'static str, &str),
        pod: &PodSandbox,
        pause: Pause,
    ) -> Namespace {
        let of_node = inode(&self.at(format!("proc/1/ns/{file}")));
        let file = self.namespace_file((kind, file), pod, pause);
        let inode = file.as_deref().and_then(inode);
        Namespace {
            kind,
            file,
            inode,
            shared_with_node: inode.is_some() && inode == of_node,
        }
    }

    /// Returns the file of a namespace: the path in the event, else that of the process of the sandbox.
    fn namespace_file(
        &self,
        (kind, file): (&str, &str),
        pod: &PodSandbox,
        pause: Pause,
    ) -> Option<PathBuf> {
        let named = namespace_path(pod, kind).map(|path| self.at(path));
        let of_process = match pause {
            Pause::Running(pid) => Some(self.at(format!("proc/{pid}/ns/{file}"))),
            Pause::Ended(_) | Pause::Unknown => None,
        };
        named.or(of_process)
    }
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
