//! The settings of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a run. [`Options::new`] has the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The socket that plugins connect to, such as `/var/run/nri/nri.sock`.
    pub nri_socket: PathBuf,
    /// The socket of the Container Runtime Interface, such as `/run/containerd/containerd.sock`. With it, pods and
    /// containers are run to judge most statements; without it, only [`observe`](Self::observe) remains.
    pub cri_socket: Option<PathBuf>,
    /// The image of the containers, which must already be on the node. Its command must run until it is stopped, like
    /// that of the pause image.
    pub image: String,
    /// A command that ends with an error in a container of the image; empty if there is none.
    pub failing_command: Vec<String>,
    /// The time for which the existing workload is observed. With a CRI socket, this follows the pods of the run.
    pub observe: Option<Duration>,
    /// The statements to test; empty means all of them.
    pub only: BTreeSet<String>,
    /// The statements to skip.
    pub skip: BTreeSet<String>,
    /// The time limit for each request to the runtime, and for each plugin to connect.
    pub timeout: Duration,
    /// The seed for the names of pods.
    pub seed: u64,
    /// The root folder of the node. A container that tests its node mounts it elsewhere, such as at `/host`.
    pub node_root: PathBuf,
}

impl Options {
    /// The default time limit for each request.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// The default image, which most nodes have because sandboxes use it.
    pub const IMAGE: &'static str = "registry.k8s.io/pause:3.10";

    /// Returns the defaults, for plugins that connect to `nri_socket`.
    pub fn new(nri_socket: impl Into<PathBuf>) -> Options {
        Options {
            nri_socket: nri_socket.into(),
            cri_socket: None,
            image: Self::IMAGE.to_owned(),
            failing_command: Vec::new(),
            observe: None,
            only: BTreeSet::new(),
            skip: BTreeSet::new(),
            timeout: Self::TIMEOUT,
            seed: 0,
            node_root: PathBuf::from("/"),
        }
    }

    /// Returns true if a statement is tested.
    pub fn selects(&self, statement: &str) -> bool {
        (self.only.is_empty() || self.only.contains(statement)) && !self.skip.contains(statement)
    }
}
