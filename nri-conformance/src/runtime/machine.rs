//! The state of a pod on the node: its namespaces, cgroups, network and processes.
//!
//! Everything is read through files below one root, so that a container can test the node that it
//! runs on: mount the root of the node, for example at `/host`.

mod cgroup;
mod network;

use std::collections::BTreeSet;
use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nri::api::PodSandbox;

use super::event::namespace_path;

pub(super) use cgroup::PodCgroup;

/// The name of the network namespace in OCI specs.
pub(super) const NETWORK: &str = "network";

/// The namespaces that the containers of a pod share: their names in OCI specs and NRI events, and
/// in `/proc/PID/ns`.
const SHARED: [(&str, &str); 3] = [("ipc", "ipc"), (NETWORK, "net"), ("uts", "uts")];

/// The node, seen through its `/proc` and `/sys/fs/cgroup`.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    root: PathBuf,
}

/// The state of a pod at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PodState {
    /// The cgroup of the pod, which outlives the sandbox, and that of the sandbox itself, if the
    /// event names them.
    pub(super) cgroups: Vec<(String, bool)>,
    /// The process that keeps the sandbox alive, if there is one.
    pub(super) pause: Pause,
    /// The namespaces.
    pub(super) namespaces: Vec<Namespace>,
    /// The network; `None` if the network namespace cannot be read.
    pub(super) network: Option<Network>,
}

/// The process that keeps a sandbox alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pause {
    /// Neither the event nor a cgroup names one.
    #[default]
    Unknown,
    /// It runs.
    Running(u32),
    /// It has ended.
    Ended(u32),
}

/// A namespace of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Namespace {
    /// The name of its kind in OCI specs.
    pub(super) kind: &'static str,
    /// The file of the namespace; `None` if only an unknown process would have one.
    pub(super) file: Option<PathBuf>,
    /// The identity of the namespace; `None` if the file is missing.
    pub(super) inode: Option<u64>,
    /// True if it is that of the node.
    pub(super) shared_with_node: bool,
}

/// The network of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Network {
    /// The interfaces, except for the loopback.
    pub(super) interfaces: BTreeSet<String>,
    /// The addresses for which the kernel accepts packets, which it does while their interface is
    /// up, except for loopback and link-local addresses.
    pub(super) addresses: BTreeSet<IpAddr>,
}

impl Machine {
    pub(super) fn new(root: &Path) -> Machine {
        Machine { root: root.to_owned() }
    }

    /// Reads the state of a pod.
    pub(super) fn read(&self, pod: &PodSandbox) -> PodState {
        let pause = self.pause(pod);
        let mut state = PodState {
            cgroups: self.cgroups(pod),
            pause,
            namespaces: SHARED.map(|(kind, name)| self.namespace(kind, name, pod, pause)).into(),
            network: None,
        };
        let network = state.namespace(NETWORK);
        let file = network.and_then(|network| network.file.as_deref());
        state.network = self.network(file, pause);
        state
    }

    /// Finds the process of a sandbox: by the id in the event, else as the only process in the
    /// cgroup of the sandbox.
    fn pause(&self, pod: &PodSandbox) -> Pause {
        let linux = pod.linux.as_ref();
        let pid = match pod.pid {
            0 => linux.and_then(|linux| self.only_process(&linux.cgroups_path)),
            pid => Some(pid),
        };
        match pid {
            None => Pause::Unknown,
            Some(pid) if self.runs(pid) => Pause::Running(pid),
            Some(pid) => Pause::Ended(pid),
        }
    }

    /// Returns true if a process exists and is neither a zombie nor dead.
    fn runs(&self, pid: u32) -> bool {
        let stat = fs::read_to_string(self.at(format!("proc/{pid}/stat"))).unwrap_or_default();
        // The name, in parentheses, may contain anything.
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| !matches!(state, 'Z' | 'X' | 'x'))
    }

    fn namespace(
        &self,
        kind: &'static str,
        name: &str,
        pod: &PodSandbox,
        pause: Pause,
    ) -> Namespace {
        let named = namespace_path(pod, kind).map(|path| self.at(path));
        let file = named.or_else(|| match pause {
            Pause::Running(pid) => Some(self.at(format!("proc/{pid}/ns/{name}"))),
            Pause::Ended(_) | Pause::Unknown => None,
        });
        let of_node = inode(&self.at(format!("proc/1/ns/{name}")));
        let inode = file.as_deref().and_then(inode);
        Namespace { kind, file, inode, shared_with_node: inode.is_some() && inode == of_node }
    }

    /// Returns the path by which this process reaches a path of the node.
    fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

impl PodState {
    /// Returns the namespace of a kind.
    pub(super) fn namespace(&self, kind: &str) -> Option<&Namespace> {
        self.namespaces.iter().find(|namespace| namespace.kind == kind)
    }

    /// Returns true if the pod has a network namespace other than that of the node.
    pub(super) fn has_own_network(&self) -> bool {
        let network = self.namespace(NETWORK);
        network.is_some_and(|found| found.inode.is_some() && !found.shared_with_node)
    }
}

/// Returns the number of a namespace: a file in `/proc/PID/ns` is a link to a name such as
/// `net:[4026531840]`, and a file that a namespace is mounted on has the same number as its inode.
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
