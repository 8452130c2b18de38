//! A runtime with a proxy in front of it, and plugins to record.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nri::plugin::Plugin;
use nri::prelude::*;
use nri::stub::Stub;
use nri_adaptation::Adaptation;
use nri_conformance::record::replay::Replayed;
use nri_conformance::record::{Options, Proxy, Recorded};
use nri_conformance::subject::Subject;
use tempfile::TempDir;
use tokio::io::DuplexStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A time limit longer than anything takes on the busiest machine: only a failing test waits for
/// it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An adaptation that listens on a socket.
pub(crate) struct Runtime {
    pub(crate) adaptation: Adaptation,
    pub(crate) folder: TempDir,
}

impl Runtime {
    pub(crate) async fn start(release: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Plugins infer what an old runtime knows from its version.
        let version = if release == "v0.8.0" { "v2.0.0" } else { "v2.4.2" };
        let adaptation = Adaptation::builder("containerd", version)
            .listen(folder.path().join("nri.sock"))
            .speaking(release)
            .request_timeout(PATIENCE)
            .start()
            .await
            .unwrap();
        Runtime { adaptation, folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits until this many plugins take part.
    pub(crate) async fn plugins(&self, count: usize) {
        until(|| self.adaptation.plugins().len() == count).await;
    }

    /// Plays the life of a pod with a container.
    pub(crate) async fn pod_life(&self, name: &str) {
        let (pod, container) = (pod(name), container(name));
        let adaptation = &self.adaptation;
        adaptation.run_pod_sandbox(&pod).await.unwrap();
        // A plugin may reject the container.
        let _ = adaptation.create_container(&pod, &container).await;
        adaptation.post_create_container(&pod, &container).await.unwrap();
        adaptation.start_container(&pod, &container).await.unwrap();
        adaptation.stop_container(&pod, &container).await.unwrap();
        adaptation.remove_container(&pod, &container).await.unwrap();
        adaptation.stop_pod_sandbox(&pod).await.unwrap();
        adaptation.remove_pod_sandbox(&pod).await.unwrap();
    }
}

/// A proxy that records to a file.
pub(crate) struct Recording {
    pub(crate) socket: PathBuf,
    pub(crate) file: PathBuf,
    stop: oneshot::Sender<()>,
    proxy: JoinHandle<nri_conformance::record::Result<Recorded>>,
}

impl Recording {
    pub(crate) fn start(runtime: &Runtime, options: Options) -> Self {
        let (socket, file) = (runtime.path("proxy.sock"), runtime.path("session.nri"));
        let proxy = Proxy::bind(&socket, runtime.path("nri.sock")).unwrap();
        let output = nri_conformance::record::create_file(&file).unwrap();
        let (stop, stopped) = oneshot::channel();
        let recording = tokio::spawn(proxy.record(output, options, async { _ = stopped.await }));
        Recording { socket, file, stop, proxy: recording }
    }

    pub(crate) async fn finish(self) -> (PathBuf, Recorded) {
        self.stop.send(()).unwrap();
        let recorded = patiently(self.proxy).await.unwrap().unwrap();
        (self.file, recorded)
    }
}

/// Runs a plugin on a socket until the task is aborted.
pub(crate) fn run(plugin: impl Plugin, socket: &Path) -> JoinHandle<nri::Result<()>> {
    let stub = Stub::builder(plugin).socket(socket).build().unwrap();
    tokio::spawn(stub.run_until(std::future::pending()))
}

/// Records a pod's life with one plugin. Returns the recording, and the folder that it is in.
pub(crate) async fn recorded(
    release: &str,
    plugin: impl Plugin,
    options: Options,
) -> (TempDir, PathBuf) {
    let runtime = Runtime::start(release).await;
    let recording = Recording::start(&runtime, options);
    let plugin = run(plugin, &recording.socket);
    runtime.plugins(1).await;
    runtime.pod_life("web").await;
    let (file, _) = recording.finish().await;
    plugin.abort();
    runtime.adaptation.stop().await;
    (runtime.folder, file)
}

/// A plugin that marks each container.
#[derive(NriPlugin)]
#[nri(name = "marker", index = "10")]
pub(crate) struct Marker(pub(crate) &'static str);

impl RunPodSandbox for Marker {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Marker {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl CreateContainer for Marker {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().annotation("marked-by", self.0).env("MARK", self.0).env("MARKS", "1"))
    }
}

pub(crate) fn pod(name: &str) -> PodSandbox {
    PodSandbox {
        id: format!("{name}-pod"),
        name: name.to_owned(),
        namespace: "default".to_owned(),
        annotations: [("secret/annotation".to_owned(), "hunter2".to_owned())].into(),
        ..PodSandbox::default()
    }
}

pub(crate) fn container(name: &str) -> Container {
    Container {
        id: format!("{name}-container"),
        pod_sandbox_id: format!("{name}-pod"),
        name: "server".to_owned(),
        env: vec!["TOKEN=hunter2".to_owned()],
        ..Container::default()
    }
}

/// Output that can be read while it is written.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    patiently(async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
}

/// Returns the output of a future that should complete soon.
pub(crate) async fn patiently<T>(work: impl Future<Output = T>) -> T {
    timeout(PATIENCE, work).await.expect("ends in time")
}

/// Returns the plugin at the other end of a stream.
pub(crate) fn plugin_at(stream: DuplexStream) -> Subject {
    let stream = Mutex::new(Some(stream));
    Subject::streams(move || stream.lock().unwrap().take().expect("it is started once"))
}

/// Returns the differences as text.
pub(crate) fn texts(replayed: &Replayed) -> Vec<String> {
    replayed.differences.iter().map(ToString::to_string).collect()
}
