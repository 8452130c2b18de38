//! Plugins in processes of their own: launched by the runtime or external, ended by signals.
//!
//! Each test starts its own executable again, and is the plugin there.

use std::env;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream as StdStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::survivor::{Survivor, accept};
use crate::support::{Runtime, patiently};
use nri::api::RegisterPluginRequest;
use nri::plugin::Plugin;
use nri::stub::Stub;
use nri::wire::Ended;
use tokio::net::{UnixListener, UnixStream};

/// Set in the environment of the plugins: the socket to connect to, or empty for the plugin's own
/// choice.
const SOCKET: &str = "STUB_TEST_SOCKET";

/// Runs the plugin if this process was started by [`plugin`], and returns true then.
async fn is_plugin() -> bool {
    let Some(socket) = env::var_os(SOCKET) else {
        return false;
    };
    let (plugin, _notes) = Survivor::new();
    let mut builder = Stub::builder(plugin);
    if !socket.is_empty() {
        builder = builder.socket(socket);
    }
    builder.run().await.unwrap();
    true
}

/// Returns the command that starts the plugin of a test.
fn plugin(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &format!("processes::{test}")]);
    command
        .env_remove("NRI_PLUGIN_SOCKET")
        .env_remove("NRI_SOCKET")
        .env(SOCKET, "")
        .stdout(Stdio::null());
    command
}

/// Starts the plugin of a test as an external one, with this name and index in its environment,
/// until it registers.
async fn registration(test: &str, (name, index): (&str, &str)) -> RegisterPluginRequest {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let mut child = plugin(test)
        .env("NRI_SOCKET", &socket)
        .env("NRI_PLUGIN_NAME", name)
        .env("NRI_PLUGIN_IDX", index)
        .spawn()
        .unwrap();
    let registration = accept(&listener).await.registered().await;
    child.kill().unwrap();
    child.wait().unwrap();
    registration
}

async fn ends_well(mut child: Child) {
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap());
    assert!(patiently(ended).await.unwrap().success());
}

#[tokio::test]
async fn a_launched_plugin_takes_its_socket_name_and_index_from_the_runtime_and_ends_with_it() {
    if is_plugin().await {
        return;
    }
    let (ours, childs) = StdStream::pair().unwrap();
    socket2::SockRef::from(&childs).set_cloexec(false).unwrap();
    let child = plugin(
        "a_launched_plugin_takes_its_socket_name_and_index_from_the_runtime_and_ends_with_it",
    )
    .env("NRI_PLUGIN_SOCKET", childs.as_raw_fd().to_string())
    .env("NRI_PLUGIN_NAME", "renamed")
    .env("NRI_PLUGIN_IDX", "77")
    .spawn()
    .unwrap();
    drop(childs);
    ours.set_nonblocking(true).unwrap();
    let mut runtime = Runtime::over(UnixStream::from_std(ours).unwrap());
    let registration = runtime.registered().await;
    assert_eq!((&*registration.plugin_name, &*registration.plugin_idx), ("renamed", "77"));
    runtime.configure("v0.12.5").await.unwrap();
    runtime.synchronize(Vec::new(), Vec::new(), false).await.unwrap();
    runtime.close();
    ends_well(child).await;
}

#[tokio::test]
async fn an_external_plugin_takes_its_socket_name_and_index_from_the_environment() {
    if is_plugin().await {
        return;
    }
    let registration = registration(
        "an_external_plugin_takes_its_socket_name_and_index_from_the_environment",
        ("renamed", "77"),
    )
    .await;
    assert_eq!((&*registration.plugin_name, &*registration.plugin_idx), ("renamed", "77"));
}

#[tokio::test]
async fn an_empty_variable_is_unset() {
    if is_plugin().await {
        return;
    }
    let registration = registration("an_empty_variable_is_unset", ("", "")).await;
    assert_eq!(
        (Some(&*registration.plugin_name), Some(&*registration.plugin_idx)),
        (Survivor::NAME, Survivor::INDEX)
    );
}

#[tokio::test]
async fn a_plugin_leaves_on_each_of_the_signals() {
    if is_plugin().await {
        return;
    }
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("nri.sock");
        let (child, runtime) = external(&socket).await;
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        assert_eq!(runtime.closed().await.unwrap(), Ended::ByPeer, "{signal}");
        ends_well(child).await;
    }
}

/// Returns a plugin in a process of its own, synchronized.
async fn external(socket: &Path) -> (Child, Runtime) {
    let listener = UnixListener::bind(socket).unwrap();
    let child =
        plugin("a_plugin_leaves_on_each_of_the_signals").env(SOCKET, socket).spawn().unwrap();
    let mut runtime = accept(&listener).await;
    runtime.handshake().await;
    (child, runtime)
}
