//! Probes a plugin: determines which RPCs it implements, which fallbacks it needs, and under which
//! releases it works.
//!
//! [`check`](https://docs.rs/nri-compat) derives its verdict from the file of a plugin, without
//! running it. This module runs the plugin, acts as its runtime under each release in question, and
//! derives its verdict from the answers. It executes the plugin with a cleared environment in a
//! temporary folder, and kills everything that the plugin has started at the end or when the future
//! is dropped.
//!
//! ```no_run
//! use nri_conformance::probe::{Options, Verdict, probe};
//! use nri_conformance::subject::{Executable, Subject};
//!
//! # async fn run() -> nri_conformance::Result<()> {
//! let plugin = Subject::launched(Executable::new("/opt/nri/plugins/10-logger"));
//! let probed = probe(&plugin, &Options::default()).await?;
//! for target in &probed.targets {
//!     println!("{}: {} {}", target.target, target.verdict, target.reason);
//! }
//! assert!(probed.worst() <= Some(Verdict::Deprecated));
//! # Ok(())
//! # }
//! ```

mod answers;
mod live;
pub mod outcome;
mod printed;
mod rpcs;
mod run;
mod targets;

use std::time::Duration;

use tokio::time::Instant;

use crate::error::Result;
use crate::session::Timeouts;
use crate::subject::Subject;

pub use outcome::{
    EventOutcome, EventResult, FailurePolicy, Form, Latency, Probed, RpcAnswer, RpcResult,
    Subscription, TargetResult, Trouble, TroubleKind, Verdict,
};
#[doc(hidden)]
pub use rpcs::NO_SUCH_RPC;

use run::Run;

/// A release that a plugin is probed under.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// The name shown in the result, such as `containerd@2.2.9`.
    pub name: String,
    /// The NRI release that it speaks, such as `v0.11.0`; `v0.1.0` for a runtime from before the
    /// protocol.
    pub release: String,
    /// The runtime that is reported to the plugin. The default is a released one that links this
    /// NRI, because plugins derive from it which events they may subscribe to.
    pub runtime: Option<RuntimeRelease>,
    /// False for a planned release that no longer sends events as StateChange.
    pub sends_state_change: bool,
}

/// A release of a runtime, as the runtime reports it in Configure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRelease {
    /// The name, such as `containerd`.
    pub name: String,
    /// The version, such as `v2.2.9`.
    pub version: String,
}

impl Target {
    /// A release of NRI.
    pub fn nri(release: &str) -> Self {
        Target {
            name: format!("nri@{}", release.trim_start_matches('v')),
            release: release.to_owned(),
            runtime: None,
            sends_state_change: true,
        }
    }

    /// Returns every revision of the protocol, oldest first. Each is named after its first release.
    pub fn revisions() -> Vec<Self> {
        nri_protos::REVISIONS.iter().map(|revision| Self::nri(revision.name)).collect()
    }
}

/// Options of a probe. Assign to the fields of the [default](Options::default).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The targets. The default is every revision of the protocol.
    pub targets: Vec<Target>,
    /// The configuration that is sent in Configure, like the content of a file in the drop-in
    /// directory.
    pub config: String,
    /// The time limits of the simulated runtime.
    pub timeouts: Timeouts,
    /// The time limit for the first connection of a plugin that is started by other means.
    pub first_connection: Duration,
    /// The time limit of the whole probe, starting with the first connection.
    pub within: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            targets: Target::revisions(),
            config: String::new(),
            timeouts: Timeouts::default(),
            first_connection: Duration::from_secs(60),
            within: Duration::from_secs(60),
        }
    }
}

/// Probes a plugin.
///
/// # Errors
///
/// Returns an error if a target is not a release of NRI, or if the plugin cannot be started at all,
/// for example because its file is not executable. All other problems are part of the result.
///
/// # Panics
///
/// Panics outside of a tokio runtime with I/O and time enabled.
pub async fn probe(subject: &Subject, options: &Options) -> Result<Probed> {
    let start = Instant::now();
    let revisions = options.targets.iter().map(targets::revision).collect::<Result<Vec<_>>>()?;
    let mut run = Run::new(subject, options);
    let mut probed = rpcs::probe(&mut run).await?;
    // The events that the plugin subscribes to under the newest revision; 0 means all events.
    let wanted = probed.subscription.as_ref().map_or(0, |it| it.mask);
    for (target, revision) in options.targets.iter().zip(&revisions) {
        let result = targets::probe(&mut run, target, revision.as_ref(), wanted).await?;
        probed.targets.push(result);
    }
    probed.troubles = run.troubles;
    probed.took = start.elapsed();
    Ok(probed)
}
