//! From start to end: launched and external plugins, connections lost and made again, shutdown,
//! unsolicited updates.

mod support;

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream as StdStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use nri::ErrorKind;
use nri::api::{ContainerUpdate, PodSandbox, RunPodSandboxRequest, UpdateContainersResponse};
use nri::prelude::*;
use nri::stub::{Backoff, RuntimeExit, Stub, UpdateError};
use nri::wire::{Code, Ended, Status};
use support::{Answers, Runtime, logs, patiently, pod};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

/// Records the hooks of the connection, and lets its handler wait for the test.
#[derive(NriPlugin)]
#[nri(name = "survivor", index = "10")]
struct Survivor {
    told: mpsc::UnboundedSender<String>,
    go_on: Mutex<Option<oneshot::Receiver<()>>>,
}

impl Survivor {
    fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (told, hear) = mpsc::unbounded_channel();
        let plugin = Survivor {
            told,
            go_on: Mutex::default(),
        };
        (plugin, hear)
    }

    fn tell(&self, what: impl Into<String>) {
        let _ = self.told.send(what.into());
    }
}

impl RunPodSandbox for Survivor {
    async fn run_pod_sandbox(&self, _: &Context, pod: PodSandbox) -> nri::Result<()> {
        self.tell(format!("started {}", pod.name));
        let go_on = self.go_on.lock().unwrap().take();
        if let Some(go_on) = go_on {
            let _ = go_on.await;
        }
        self.tell(format!("finished {}", pod.name));
        Ok(())
    }
}

impl Synchronize for Survivor {
    async fn synchronize(
        &self,
        _: &Context,
        pods: Vec<PodSandbox>,
        _: Vec<Container>,
    ) -> nri::Result<Updates> {
        self.tell(format!("synchronized {}", pods.len()));
        Ok(Updates::default())
    }
}

impl Connection for Survivor {
    async fn on_disconnect(&self, _: &Context, reason: &nri::Error) {
        self.tell(format!("lost: {reason}"));
    }

    async fn on_reconnect(&self, cx: &Context) {
        let known = cx.runtime().is_some();
        self.tell(format!("back, runtime known: {known}"));
        panic!("too happy");
    }
}

const SOON: Backoff = Backoff {
    first: Duration::from_millis(1),
    longest: Duration::from_millis(10),
};

async fn accept(listener: &UnixListener) -> Runtime {
    let (stream, _) = patiently(listener.accept()).await.unwrap();
    Runtime::over(stream)
}

async fn heard(hear: &mut mpsc::UnboundedReceiver<String>) -> String {
    patiently(hear.recv()).await.expect("there is more")
}

#[tokio::test]
async fn an_external_plugin_comes_back_and_is_told() {
    logs::collect();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let (plugin, mut hear) = Survivor::new();
    let stub = Stub::builder(plugin)
        .socket(&socket)
        .reconnect(SOON)
        .build()
        .unwrap();
    let updater = stub.updater();
    let running = tokio::spawn(stub.run_until(std::future::pending()));

    let mut runtime = accept(&listener).await;
    runtime.handshake().await;
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    runtime.close();
    assert_eq!(
        heard(&mut hear).await,
        "lost: the runtime closed the connection"
    );

    // A runtime that dies during the handshake is no reason to give up, and calls no hook.
    let mut dying = accept(&listener).await;
    dying.registered().await;
    dying.close();

    let mut runtime = accept(&listener).await;
    assert_eq!(runtime.registered().await.plugin_name, "survivor");
    runtime.configure("v0.11.0").await.unwrap();
    runtime
        .synchronize(vec![pod("kept")], Vec::new(), false)
        .await
        .unwrap();
    assert_eq!(heard(&mut hear).await, "synchronized 1");
    assert_eq!(heard(&mut hear).await, "back, runtime known: true");
    updater
        .update(Updates::default())
        .await
        .expect("an updater survives");
    assert!(!logs::with(&["WARN", "connecting again in"]).is_empty());
    logs::wait_for(&["ERROR", "on_reconnect failed: panicked: too happy"]);
    running.abort();
}

#[tokio::test]
async fn an_external_plugin_needs_a_runtime_at_first_unless_it_waits_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let (plugin, _hear) = Survivor::new();
    let error = patiently(Stub::builder(plugin).socket(&socket).run())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot connect to {}", socket.display()))
    );
    assert!(error.help().is_some());

    let (plugin, _hear) = Survivor::new();
    let stub = Stub::builder(plugin)
        .socket(&socket)
        .reconnect(SOON)
        .wait_for_runtime()
        .build()
        .unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    tokio::task::yield_now().await;
    let listener = UnixListener::bind(&socket).unwrap();
    accept(&listener).await.handshake().await;
    running.abort();
}

#[tokio::test]
async fn without_reconnecting_the_end_of_the_connection_is_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let (plugin, mut hear) = Survivor::new();
    let stub = Stub::builder(plugin)
        .socket(&socket)
        .no_reconnect()
        .build()
        .unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = accept(&listener).await;
    runtime.handshake().await;
    runtime.close();
    patiently(running).await.unwrap().unwrap();
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    assert_eq!(
        heard(&mut hear).await,
        "lost: the runtime closed the connection"
    );
}

#[tokio::test]
async fn the_end_of_the_runtime_is_a_failure_if_the_author_chose_so() {
    for (exit, expected) in [
        (RuntimeExit::Success, Ok(())),
        (RuntimeExit::Failure, Err(ErrorKind::Connection)),
    ] {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (plugin, _hear) = Survivor::new();
        let stub = Stub::builder(plugin).stream(ours).on_runtime_exit(exit);
        let running = tokio::spawn(stub.run());
        let mut runtime = Runtime::over(theirs);
        runtime.handshake().await;
        runtime.close();
        let ended = patiently(running).await.unwrap();
        assert_eq!(ended.map_err(|error| error.kind()), expected, "{exit:?}");
    }
}

#[tokio::test]
async fn a_peer_that_breaks_the_protocol_is_an_error_to_a_plugin_with_a_stream() {
    use tokio::io::AsyncWriteExt;
    let (ours, mut theirs) = tokio::io::duplex(1024);
    let (plugin, _hear) = Survivor::new();
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    theirs
        .write_all(&[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff])
        .await
        .unwrap();
    let error = patiently(running).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().contains("4294967295"), "{error}");
}

#[tokio::test]
async fn leaving_finishes_what_is_under_way() {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (plugin, mut hear) = Survivor::new();
    let (go_on, wait) = oneshot::channel();
    *plugin.go_on.lock().unwrap() = Some(wait);
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let (leave, asked) = oneshot::channel::<()>();
    let running = tokio::spawn(stub.run_until(async { drop(asked.await) }));
    let mut runtime = Runtime::over(theirs);
    runtime.handshake().await;
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    let request = RunPodSandboxRequest {
        pod: Some(pod("last")),
    };
    let call = runtime.call::<()>("RunPodSandbox", &request, None);
    let ending = async {
        assert_eq!(heard(&mut hear).await, "started last");
        leave.send(()).unwrap();
        go_on.send(()).unwrap();
    };
    let (answered, ()) = tokio::join!(call, ending);
    answered.expect("is answered although the plugin leaves");
    patiently(running).await.unwrap().unwrap();
    assert_eq!(runtime.closed().await.unwrap(), Ended::ByPeer);
    assert_eq!(heard(&mut hear).await, "finished last");
    assert!(
        hear.recv().await.is_none(),
        "one's own leaving is no connection lost"
    );
}

#[tokio::test]
async fn updates_and_evictions_reach_the_runtime_and_failures_come_back_typed() {
    let failed = ContainerUpdate {
        container_id: "c1".to_owned(),
        ..ContainerUpdate::default()
    };
    let answers = Answers {
        updates: vec![
            Err(Status::new(Code::UNKNOWN, "cannot evict")),
            Ok(UpdateContainersResponse {
                failed: vec![failed.clone()],
            }),
            Ok(UpdateContainersResponse::default()),
        ],
        ..Answers::default()
    };
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (plugin, _hear) = Survivor::new();
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let updater = stub.updater().with_timeout(support::PATIENCE);
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    assert_eq!(
        updater.evict("c0", "too early").await,
        Err(UpdateError::NotConnected)
    );
    let mut runtime = Runtime::answering(theirs, answers);
    runtime.handshake().await;

    updater
        .update(Updates::from(vec![failed.clone()]))
        .await
        .unwrap();
    let outcome = updater.update(Updates::from(vec![failed.clone()])).await;
    assert_eq!(outcome, Err(UpdateError::Failed(vec![failed.clone()])));
    let refused = updater.evict("c2", "no room").await.unwrap_err();
    assert_eq!(refused.to_string(), "the runtime refused: cannot evict");

    let sent = runtime.updates.recv().await.unwrap();
    assert_eq!((sent.update, sent.evict.len()), (vec![failed], 0));
    runtime.updates.recv().await.unwrap();
    let sent = runtime.updates.recv().await.unwrap();
    assert_eq!(
        (&*sent.evict[0].container_id, &*sent.evict[0].reason),
        ("c2", "no room")
    );

    runtime.close();
    patiently(running).await.unwrap().unwrap();
    assert_eq!(
        updater.evict("c0", "too late").await,
        Err(UpdateError::NotConnected)
    );
}

/// The program of the children below; not a test by itself.
#[test]
#[ignore = "started by the tests below"]
fn child() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (plugin, _hear) = Survivor::new();
    let builder = match std::env::var_os("STUB_TEST_SOCKET") {
        Some(path) => Stub::builder(plugin).socket(path),
        None => Stub::builder(plugin),
    };
    runtime.block_on(builder.run()).unwrap();
}

fn start_child() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "child"]);
    command
        .env_remove("NRI_PLUGIN_SOCKET")
        .env_remove("NRI_SOCKET")
        .stdout(Stdio::null());
    command
}

async fn ends_well(mut child: Child) {
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap());
    assert!(patiently(ended).await.unwrap().success());
}

#[tokio::test]
async fn a_launched_plugin_takes_its_socket_name_and_index_from_the_runtime_and_ends_with_it() {
    let (ours, childs) = StdStream::pair().unwrap();
    socket2::SockRef::from(&childs).set_cloexec(false).unwrap();
    let child = start_child()
        .env("NRI_PLUGIN_SOCKET", childs.as_raw_fd().to_string())
        .env("NRI_PLUGIN_NAME", "renamed")
        .env("NRI_PLUGIN_IDX", "77")
        .spawn()
        .unwrap();
    drop(childs);
    ours.set_nonblocking(true).unwrap();
    let mut runtime = Runtime::over(UnixStream::from_std(ours).unwrap());
    let registration = runtime.registered().await;
    assert_eq!(
        (&*registration.plugin_name, &*registration.plugin_idx),
        ("renamed", "77")
    );
    runtime.configure("v0.12.5").await.unwrap();
    runtime
        .synchronize(Vec::new(), Vec::new(), false)
        .await
        .unwrap();
    runtime.close();
    ends_well(child).await;
}

#[tokio::test]
async fn an_external_plugin_takes_its_socket_name_and_index_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let mut child = start_child()
        .env("NRI_SOCKET", &socket)
        .env("NRI_PLUGIN_NAME", "renamed")
        .env("NRI_PLUGIN_IDX", "77")
        .spawn()
        .unwrap();
    let mut runtime = accept(&listener).await;
    let registration = runtime.registered().await;
    assert_eq!(
        (&*registration.plugin_name, &*registration.plugin_idx),
        ("renamed", "77")
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_plugin_leaves_on_each_of_the_signals() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("nri.sock");
        let (child, runtime) = external(&socket).await;
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        assert_eq!(runtime.closed().await.unwrap(), Ended::ByPeer, "{signal}");
        ends_well(child).await;
    }
}

/// Returns a plugin in a process of its own, synchronized.
async fn external(socket: &Path) -> (Child, Runtime) {
    let listener = UnixListener::bind(socket).unwrap();
    let child = start_child()
        .env("STUB_TEST_SOCKET", socket)
        .spawn()
        .unwrap();
    let mut runtime = accept(&listener).await;
    runtime.handshake().await;
    (child, runtime)
}
