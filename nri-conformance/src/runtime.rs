//! Tests of runtimes: plugins observe a runtime while pods come and go.
//!
//! The pods come from a small driver, which needs the runtime's CRI socket, from the existing
//! workload of the node ([`Options::observe`]), or from both. The judges compare the events that
//! the plugins received with the requests of the driver, and with the state of the node: `/proc`
//! and `/sys/fs/cgroup`, read while a hook is held.
//!
//! The driver makes the runtime run pods and makes some requests fail on purpose, so it is meant
//! for nodes without a workload. Plugins misbehave only for the pods of the driver.
//!
//! ```no_run
//! use nri_conformance::runtime::{Options, run};
//!
//! # async fn judge() -> nri_conformance::Result<()> {
//! let mut options = Options::new("/var/run/nri/nri.sock");
//! options.cri_socket = Some("/run/containerd/containerd.sock".into());
//! let report = run(&options).await?;
//! report.assert();
//! # Ok(())
//! # }
//! ```

#[doc(hidden)]
pub mod cri;
#[doc(hidden)]
pub mod deviations;
mod drive;
mod event;
mod journal;
mod judgement;
mod machine;
mod observer;
mod order;
mod play;
mod pods;
pub mod recording;
mod scenario;
mod sequence;
mod view;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cri::Client;
use cri::messages::{Empty, VersionResponse};
use drive::Driver;
use machine::Machine;

use crate::result::{Report, Subject};
use crate::{Error, Result};

/// The time within which an abandoned request may still create a pod.
const GIVEN_UP: Duration = Duration::from_secs(2);

/// Tests a runtime.
///
/// # Errors
///
/// Returns an error if a socket does not answer, if the runtime refuses the observing plugins, or
/// if it cannot run a plain pod. A runtime that breaks a statement is not an error but a failure in
/// the report.
pub async fn run(options: &Options) -> Result<Report> {
    run_until(options, std::future::pending()).await
}

/// Tests a runtime until `stop` completes. If the run is observing then, it ends early and
/// evaluates what it has observed; otherwise it ends with an error. In either case, the pods of the
/// run are removed, with [`Options::timeout`] per request.
///
/// # Errors
///
/// Returns the errors of [`run`], and an error if it was stopped while it was running pods.
pub async fn run_until(options: &Options, stop: impl Future<Output = ()>) -> Result<Report> {
    if options.cri_socket.is_none() && options.observe.is_none() {
        return Err(Error::new("there is nothing to observe")
            .with_help("give the CRI socket of the runtime, or a time to observe"));
    }
    let stage = Arc::new(Stage::new(options).await?);
    let report = play::play(&stage, stop).await;
    if let Some(driver) = &stage.driver {
        // Without an error, no request was abandoned.
        let quiet = if report.is_ok() { Duration::ZERO } else { GIVEN_UP };
        driver.clean_up(quiet).await;
    }
    report
}

/// The number of runs in this process, which makes the names of their pods and cgroups unique.
static RUNS: AtomicU32 = AtomicU32::new(0);

/// The runtime under test and its node, which all scenarios and plugins share.
#[derive(Debug)]
struct Stage {
    options: Options,
    machine: Machine,
    /// The label of the pods of this run. Plugins leave the pods of others alone.
    run: String,
    /// `None` without a CRI socket.
    driver: Option<Driver>,
}

impl Stage {
    /// Connects to the CRI socket, if there is one.
    async fn new(options: &Options) -> Result<Stage> {
        let machine = Machine::new(&options.node_root);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let run = format!("{:x}-{}-{number}", options.seed, std::process::id());
        let driver = match &options.cri_socket {
            None => None,
            Some(socket) => {
                let client = connect(socket, options.timeout).await?;
                Some(Driver::new(options, client, machine.clone(), run.clone()).await?)
            }
        };
        Ok(Stage { options: options.clone(), machine, run, driver })
    }

    /// Returns the name and version that the runtime reports through CRI, or else in Configure.
    async fn subject(&self, configured: Option<(String, String)>) -> Subject {
        let mut reported = None;
        if let Some(driver) = &self.driver {
            let answer: Option<VersionResponse> =
                driver.client().call("Version", Empty {}).await.ok();
            reported = answer.map(|found| (found.runtime_name, found.runtime_version));
        }
        let (name, version) = reported.or(configured).unwrap_or_default();
        Subject::runtime(name, version)
    }
}

async fn connect(socket: &Path, timeout: Duration) -> Result<Client> {
    let client = Client::connect(socket, timeout).await;
    client.map_err(|error| {
        Error::new(format!("cannot connect to {}: {error}", socket.display()))
            .with_source(error)
            .with_help("check the path, and that this user may connect")
    })
}

/// The settings of a run. Assign to the fields of the defaults, which [`Options::new`] returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The socket that plugins connect to, such as `/var/run/nri/nri.sock`.
    pub nri_socket: PathBuf,
    /// The socket of the Container Runtime Interface, such as `/run/containerd/containerd.sock`.
    /// With it, pods and containers are run to judge most statements; without it, only
    /// [`observe`](Self::observe) remains.
    pub cri_socket: Option<PathBuf>,
    /// The image of the containers, which must already be on the node. Its command must run until
    /// it is stopped, like that of the pause image.
    pub image: String,
    /// A command that ends with an error in a container of the image; empty if there is none.
    pub failing_command: Vec<String>,
    /// The time for which the existing workload is observed. With a CRI socket, this follows the
    /// pods of the run.
    pub observe: Option<Duration>,
    /// The statements to test; empty means all of them.
    pub only: BTreeSet<String>,
    /// The statements to skip.
    pub skip: BTreeSet<String>,
    /// The time limit for each request to the runtime, and for each plugin to connect.
    pub timeout: Duration,
    /// The seed for the names of pods.
    pub seed: u64,
    /// The root folder of the node. A container that tests its node mounts it elsewhere, such as at
    /// `/host`.
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
