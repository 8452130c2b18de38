//! The connection from start to end: lost and restored connections, shutdown, unsolicited updates.

use std::time::Duration;

use crate::support::survivor::{Survivor, accept, heard};
use crate::support::{Answers, Runtime, logs, patiently, pod};
use nri::ErrorKind;
use nri::api::{ContainerUpdate, RunPodSandboxRequest, UpdateContainersResponse};
use nri::prelude::*;
use nri::stub::{Backoff, RuntimeExit, Stub, UpdateError};
use nri::wire::{Code, Ended, Status};
use tokio::net::UnixListener;
use tokio::sync::oneshot;

/// Returns waits so short that a test does not notice them.
fn soon() -> Backoff {
    Backoff::default().first(Duration::from_millis(1)).longest(Duration::from_millis(10))
}

#[tokio::test]
async fn an_external_plugin_reconnects_and_is_notified() {
    logs::collect();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let (plugin, mut hear) = Survivor::new();
    let stub = Stub::builder(plugin).socket(&socket).reconnect(soon()).build().unwrap();
    let updater = stub.updater();
    let running = tokio::spawn(stub.run_until(std::future::pending()));

    let mut first = accept(&listener).await;
    first.handshake().await;
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    first.close();
    assert_eq!(heard(&mut hear).await, "lost: the runtime closed the connection");

    // A runtime that dies during the handshake is no reason to give up, and calls no hook.
    let mut dying = accept(&listener).await;
    dying.registered().await;
    dying.close();

    let mut runtime = accept(&listener).await;
    assert_eq!(runtime.registered().await.plugin_name, "survivor");
    runtime.configure("v0.11.0").await.unwrap();
    runtime.synchronize(vec![pod("kept")], Vec::new(), false).await.unwrap();
    assert_eq!(heard(&mut hear).await, "synchronized 1");
    assert_eq!(heard(&mut hear).await, "back, runtime known: true");
    updater.update(Updates::default()).await.expect("an updater survives");
    assert!(!logs::with(&["WARN", "connecting again in"]).is_empty());
    logs::wait_for(&["ERROR", "on_reconnect failed: panicked: too happy"]);
    running.abort();
}

#[tokio::test]
async fn a_plugin_with_a_dialer_reconnects() {
    logs::collect();
    let (dialed, mut dials) = tokio::sync::mpsc::unbounded_channel();
    let mut attempts = 0;
    let dial = move || {
        attempts += 1;
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        // The second attempt fails.
        let connected = if attempts == 2 {
            Err(std::io::Error::other("the tunnel is down"))
        } else {
            dialed.send(theirs).map(|()| ours).map_err(std::io::Error::other)
        };
        std::future::ready(connected)
    };
    let (plugin, mut hear) = Survivor::new();
    let stub = Stub::builder(plugin).dialer(dial).reconnect(soon()).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(patiently(dials.recv()).await.unwrap());
    runtime.handshake().await;
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    runtime.close();
    assert_eq!(heard(&mut hear).await, "lost: the runtime closed the connection");
    Runtime::over(patiently(dials.recv()).await.unwrap()).handshake().await;
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    logs::wait_for(&["WARN", "cannot connect to the runtime: the tunnel is down"]);
    running.abort();
}

#[tokio::test]
async fn an_external_plugin_needs_a_runtime_at_first() {
    logs::collect();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let (plugin, _hear) = Survivor::new();
    let error = patiently(Stub::builder(plugin).socket(&socket).run()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert!(error.to_string().starts_with(&format!("cannot connect to {}", socket.display())));
    assert!(error.help().is_some());
}

#[tokio::test]
async fn an_external_plugin_may_wait_for_the_first_runtime() {
    logs::collect();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let (plugin, _hear) = Survivor::new();
    let stub =
        Stub::builder(plugin).socket(&socket).reconnect(soon()).wait_for_runtime().build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    tokio::task::yield_now().await;
    let listener = UnixListener::bind(&socket).unwrap();
    accept(&listener).await.handshake().await;
    running.abort();
}

#[tokio::test]
async fn without_reconnecting_the_end_of_the_connection_is_the_end() {
    logs::collect();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let (plugin, mut hear) = Survivor::new();
    let stub = Stub::builder(plugin).socket(&socket).no_reconnect().build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = accept(&listener).await;
    runtime.handshake().await;
    runtime.close();
    patiently(running).await.unwrap().unwrap();
    assert_eq!(heard(&mut hear).await, "synchronized 0");
    assert_eq!(heard(&mut hear).await, "lost: the runtime closed the connection");
}

#[tokio::test]
async fn the_end_of_the_runtime_is_a_failure_if_the_author_chose_so() {
    logs::collect();
    for (exit, expected) in
        [(RuntimeExit::Success, Ok(())), (RuntimeExit::Failure, Err(ErrorKind::Connection))]
    {
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
    logs::collect();
    use tokio::io::AsyncWriteExt;
    let (ours, mut theirs) = tokio::io::duplex(1024);
    let (plugin, _hear) = Survivor::new();
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    theirs.write_all(&[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]).await.unwrap();
    let error = patiently(running).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().contains("4294967295"), "{error}");
}

#[tokio::test]
async fn leaving_finishes_what_is_under_way() {
    logs::collect();
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
    let request = RunPodSandboxRequest { pod: Some(pod("last")) };
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
    assert!(hear.recv().await.is_none(), "leaving on its own does not count as a lost connection");
}

#[tokio::test]
async fn updates_and_evictions_reach_the_runtime_and_failures_come_back_typed() {
    logs::collect();
    let failed = ContainerUpdate { container_id: "c1".to_owned(), ..ContainerUpdate::default() };
    let answers = Answers {
        updates: vec![
            Err(Status::new(Code::UNKNOWN, "cannot evict")),
            Ok(UpdateContainersResponse { failed: vec![failed.clone()] }),
            Ok(UpdateContainersResponse::default()),
        ],
        ..Answers::default()
    };
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (plugin, _hear) = Survivor::new();
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let updater = stub.updater().with_timeout(crate::support::PATIENCE);
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    assert_eq!(updater.evict("c0", "too early").await, Err(UpdateError::NotConnected));
    let mut runtime = Runtime::answering(theirs, answers);
    runtime.handshake().await;

    updater.update(Updates::from(vec![failed.clone()])).await.unwrap();
    let outcome = updater.update(Updates::from(vec![failed.clone()])).await;
    assert_eq!(outcome, Err(UpdateError::Failed(vec![failed.clone()])));
    let refused = updater.evict("c2", "no room").await.unwrap_err();
    assert_eq!(refused.to_string(), "the runtime refused: cannot evict");

    let updated = runtime.updates.recv().await.unwrap();
    assert_eq!((updated.update, updated.evict.len()), (vec![failed], 0));
    runtime.updates.recv().await.unwrap();
    let evicted = runtime.updates.recv().await.unwrap();
    assert_eq!((&*evicted.evict[0].container_id, &*evicted.evict[0].reason), ("c2", "no room"));

    runtime.close();
    patiently(running).await.unwrap().unwrap();
    assert_eq!(updater.evict("c0", "too late").await, Err(UpdateError::NotConnected));
}
