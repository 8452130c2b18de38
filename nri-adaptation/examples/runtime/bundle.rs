//! Runs an OCI bundle with runc, with the adjustments of the plugins.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use nri::api::{Container, ContainerState, Event, PodSandbox};
use nri_adaptation::oci::{self, runtime::Spec};
use nri_adaptation::{Outcome, RequestError};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::error::Failure;
use crate::event::{self, Answer, Request, rpc_name};
use crate::play;
use crate::start::Runtime;

/// The maximum size of `config.json` in bytes.
const MAX_CONFIG: u64 = 16 << 20;

/// The interval between checks whether the container runs.
const POLL: Duration = Duration::from_millis(10);

/// A bundle with its container, in a pod of its own.
pub(crate) struct Bundle {
    folder: PathBuf,
    spec: Spec,
    pod: PodSandbox,
    container: Container,
}

impl Bundle {
    /// Reads a bundle. Its annotations are those of the pod and of the container.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let config = folder.join("config.json");
        let failed =
            |error: String| Failure::new(format!("cannot read {}: {error}", config.display()));
        let folder = folder.canonicalize().map_err(|error| failed(error.to_string()))?;
        let file = File::open(&config).map_err(|error| failed(error.to_string()))?;
        let value = serde_json::from_reader(file.take(MAX_CONFIG))
            .map_err(|error| failed(error.to_string()))?;
        let mut spec = oci::from_value(value).map_err(|error| failed(error.to_string()))?;
        if let Some(root) = spec.root_mut() {
            let absolute = folder.join(root.path());
            root.set_path(absolute);
        }
        Ok(Bundle::new(folder, spec))
    }

    fn new(folder: PathBuf, spec: Spec) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let (pod_id, id) = (format!("{name}-pod"), format!("nri-{}", std::process::id()));
        let pod = PodSandbox {
            id: pod_id.clone(),
            name: name.clone().into_owned(),
            namespace: "default".to_owned(),
            ..oci::pod_sandbox(&spec)
        };
        let container = Container {
            id,
            pod_sandbox_id: pod_id,
            name: name.into_owned(),
            state: ContainerState::ContainerCreated.into(),
            ..oci::container(&spec)
        };
        Bundle { folder, spec, pod, container }
    }

    /// Runs the container from RunPodSandbox to RemovePodSandbox. Returns the exit code of its
    /// process.
    pub(crate) async fn run(mut self, runtime: &Runtime) -> Result<ExitCode, Failure> {
        self.send(runtime, Event::RunPodSandbox).await?;
        let run = self.run_container(runtime).await;
        // Errors of these events do not keep a runtime from removing a pod.
        for event in [Event::StopPodSandbox, Event::RemovePodSandbox] {
            self.warn(runtime, event).await;
        }
        run
    }

    async fn run_container(&mut self, runtime: &Runtime) -> Result<ExitCode, Failure> {
        let adjusted = self.create(runtime).await?;
        self.warn(runtime, Event::PostCreateContainer).await;
        self.send(runtime, Event::StartContainer).await?;
        let mut runc = Runc::start(&adjusted, &self.container.id)?;
        runc.running().await?;
        self.container.state = ContainerState::ContainerRunning.into();
        self.warn(runtime, Event::PostStartContainer).await;
        let status = runc.ended().await?;
        self.container.state = ContainerState::ContainerStopped.into();
        for event in [Event::StopContainer, Event::RemoveContainer] {
            self.warn(runtime, event).await;
        }
        Ok(exit_code(status))
    }

    /// Returns a bundle with the adjustments of the plugins.
    async fn create(&mut self, runtime: &Runtime) -> Result<TempDir, Failure> {
        if let Answer::Created(created) = self.send(runtime, Event::CreateContainer).await? {
            if let Some(invalid) = play::invalid(&created.adjust) {
                return Err(Failure::new(invalid));
            }
            oci::apply(&mut self.spec, &created.adjust).map_err(nri::Error::from)?;
            let adjusted = oci::container(&self.spec);
            self.container = Container {
                id: self.container.id.clone(),
                pod_sandbox_id: self.container.pod_sandbox_id.clone(),
                name: self.container.name.clone(),
                state: self.container.state,
                ..adjusted
            };
        }
        self.write()
    }

    fn write(&self) -> Result<TempDir, Failure> {
        let failed = |error: String| {
            Failure::new(format!("cannot write the bundle of {}: {error}", self.folder.display()))
        };
        let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
        let spec = oci::to_value(&self.spec).map_err(|error| failed(error.to_string()))?;
        let written = fs::write(folder.path().join("config.json"), spec.to_string());
        written.map_err(|error| failed(error.to_string()))?;
        Ok(folder)
    }

    /// Sends an event whose errors fail the container.
    async fn send(&self, runtime: &Runtime, event: Event) -> Result<Answer, Failure> {
        let request = Request {
            event,
            pod: self.pod.clone(),
            container: self.container.clone(),
            ..Request::default()
        };
        let name = rpc_name(event);
        match event::send(&runtime.adaptation, &request).await {
            Ok(relayed) => {
                print_errors(&name, &relayed.outcomes);
                Ok(relayed.answer)
            }
            Err(error) => Err(failure(&name, &error)),
        }
    }

    /// Sends an event whose errors change nothing.
    async fn warn(&self, runtime: &Runtime, event: Event) {
        if let Err(failure) = self.send(runtime, event).await {
            eprintln!("warning: {failure}");
        }
    }
}

fn failure(event: &str, error: &RequestError) -> Failure {
    Failure::new(format!("{event} failed: {error}"))
}

fn print_errors(event: &str, outcomes: &[Outcome]) {
    for outcome in outcomes {
        if let Some(error) = &outcome.error {
            eprintln!("warning: {event}: plugin {}: {error}", outcome.plugin);
        }
    }
}

/// A running `runc run`, whose process has the streams of this program.
struct Runc {
    child: Child,
    state: PathBuf,
    id: String,
    ended: Option<ExitStatus>,
}

impl Runc {
    fn start(bundle: &TempDir, id: &str) -> Result<Self, Failure> {
        let state = bundle.path().join("state");
        let mut command = Command::new("runc");
        command.arg("--root").arg(&state).arg("run");
        command.arg("--bundle").arg(bundle.path()).arg(id);
        let child = command.spawn().map_err(|error| {
            Failure::new(format!("cannot start runc: {error}")).with_help("install runc")
        })?;
        Ok(Runc { child, state, id: id.to_owned(), ended: None })
    }

    /// Waits until the process of the container runs, or has already ended.
    async fn running(&mut self) -> Result<(), Failure> {
        loop {
            self.ended = self.child.try_wait().map_err(lost)?;
            if self.ended.is_some() || self.is_running().await? {
                return Ok(());
            }
            sleep(POLL).await;
        }
    }

    async fn is_running(&self) -> Result<bool, Failure> {
        let mut command = Command::new("runc");
        command.arg("--root").arg(&self.state).args(["state", &self.id]);
        let output = command.stderr(Stdio::null()).output().await.map_err(lost)?;
        let state = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        Ok(state.is_ok_and(|state| state["status"] == "running"))
    }

    async fn ended(&mut self) -> Result<ExitStatus, Failure> {
        match self.ended {
            Some(status) => Ok(status),
            None => self.child.wait().await.map_err(lost),
        }
    }
}

fn lost(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot run runc: {error}"))
}

/// Returns the exit code of runc, which is that of the container's process; 1 if a signal ended
/// runc.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(1))
}
