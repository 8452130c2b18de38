//! The runtime under test and its node, which all scenarios and plugins share.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Options;
use super::cri::Client;
use super::cri::messages::{Empty, VersionResponse};
use super::drive::Driver;
use super::machine::Machine;
use crate::result::Subject;
use crate::{Error, Result};

/// The number of runs in this process, which makes the names of their pods and cgroups unique.
static RUNS: AtomicU32 = AtomicU32::new(0);

/// The runtime under test and its node.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) nri_socket: PathBuf,
    pub(super) machine: Machine,
    /// The time limit for each request, and for each plugin to connect.
    pub(super) timeout: Duration,
    /// The label of the pods of this run. Plugins leave the pods of others alone.
    pub(super) run: String,
    /// `None` without a CRI socket.
    pub(super) driver: Option<Driver>,
}

impl Stage {
    /// Connects to the CRI socket, if there is one.
    pub(super) async fn new(options: &Options) -> Result<Stage> {
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
        Ok(Stage {
            nri_socket: options.nri_socket.clone(),
            machine,
            timeout: options.timeout,
            run,
            driver,
        })
    }

    /// Returns the name and version that the runtime reports through CRI, or else in Configure.
    pub(super) async fn subject(&self, configured: Option<(String, String)>) -> Subject {
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
