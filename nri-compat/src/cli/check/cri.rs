//! Asks runtimes on their CRI sockets for their versions, and for what they have recorded about
//! plugins.

use std::path::Path;
use std::time::Duration;

use nri_conformance::runtime::cri::Client;
use nri_conformance::runtime::cri::messages::{StatusResponse, VersionResponse};
use serde_json::{Value, json};

use super::reported::ReportedRuntime;
use crate::check::collect::{Collected, MachineRuntime};
use crate::check::logs::{self, Log};
use crate::check::target::ReleaseName;
use crate::cli::session;
use crate::error::{Error, ErrorKind};
use crate::escape;
use crate::place::Place;
use crate::report::check::Summary;

/// The usual sockets of containerd, of the containerd of k3s and RKE2, of k0s, and of CRI-O.
const SOCKETS: [&str; 4] = [
    "/run/containerd/containerd.sock",
    "/run/k3s/containerd/containerd.sock",
    "/run/k0s/containerd.sock",
    "/run/crio/crio.sock",
];

/// The time limit for each request to a socket that the user named.
const NAMED_LIMIT: Duration = Duration::from_secs(60);

/// The time limit for each request to a usual socket, which may be that of a runtime in trouble.
const USUAL_LIMIT: Duration = Duration::from_secs(5);

/// Returns the version and the status of the runtime at a socket.
///
/// # Errors
///
/// Returns an error if it does not answer.
pub(super) fn ask(socket: &Path) -> Result<ReportedRuntime, Error> {
    session::run(async {
        let client = connect(socket, NAMED_LIMIT).await?;
        let version = client.version().await.map_err(|error| failed(socket, error.message()))?;
        let status = client.status().await.map_err(|error| failed(socket, error.message()))?;
        Ok::<_, Error>(ReportedRuntime {
            runtime: runtime(socket, &version),
            status: Some(recorded(Place::from_path(socket), &status)),
        })
    })
}

/// Returns the versions of the runtimes whose usual sockets answer. This is no more than a default
/// for the target, so that those that do not answer are left out.
pub(super) fn versions() -> Vec<ReportedRuntime> {
    let sockets = SOCKETS.into_iter().map(Path::new).filter(|socket| socket.exists());
    let answers = sockets.filter_map(|socket| {
        let answer = session::run(async {
            let client = connect(socket, USUAL_LIMIT).await?;
            client.version().await.map_err(|error| failed(socket, error.message()))
        });
        Some(ReportedRuntime { runtime: runtime(socket, &answer.ok()?), status: None })
    });
    answers.collect()
}

async fn connect(socket: &Path, limit: Duration) -> Result<Client, Error> {
    let client = Client::connect(socket, limit).await;
    client.map_err(|error| failed(socket, &error.to_string()))
}

fn failed(socket: &Path, why: &str) -> Error {
    let message = format!("no answer of a container runtime at {}: {why}", socket.display());
    Error::new(ErrorKind::Input, message)
        .with_help("name its CRI socket, such as /run/containerd/containerd.sock or /run/crio/crio.sock; usually only root may use it")
}

fn runtime(socket: &Path, version: &VersionResponse) -> MachineRuntime {
    let name = format!("{}@{}", version.runtime_name, version.runtime_version);
    let runtime = ReleaseName::parse(&name).map_or_else(String::new, |release| release.name);
    MachineRuntime {
        runtime,
        release: Some(escape::short(&version.runtime_version)),
        nri: None,
        known_from: format!("the CRI of {}", escape::path(socket)),
    }
}

/// Reads the status as `crictl info` prints it.
fn recorded(place: Place, status: &StatusResponse) -> Collected {
    let conditions: Vec<Value> = status
        .status
        .iter()
        .flat_map(|status| &status.conditions)
        .map(|one| {
            json!({ "type": one.kind, "status": one.status, "reason": one.reason, "message": one.message })
        })
        .collect();
    let mut text = serde_json::to_string(&json!({ "status": { "conditions": conditions } }))
        .unwrap_or_default();
    text.push('\n');
    let Log { sightings, skipped, bytes } = logs::read(&place, &mut text.as_bytes());
    let looked_at = vec![format!("{place} (CRI)")];
    let summary = Summary { looked_at, bytes, ..Summary::default() };
    Collected { sightings, skipped, summary, ..Collected::default() }
}
