//! containerd with real pods.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::node::{self, Launched, Node};
use crate::peers::{self, run};

/// The folder of Debian's network plugins.
const NETWORK_PLUGINS: &str = "/usr/lib/cni";

/// Starts a release with plugins to launch, and loads the image of the pods.
///
/// # Panics
///
/// Panics if it cannot be built or does not start.
#[must_use]
pub fn start(release: &str, plugins: &[Launched<'_>]) -> Node {
    start_with(release, plugins, "")
}

/// Like [`start`], with TOML tables added to the configuration.
///
/// # Panics
///
/// Panics if it cannot be built or does not start.
#[must_use]
pub fn start_with(release: &str, plugins: &[Launched<'_>], tables: &str) -> Node {
    let settings = format!("{}\n{tables}", include_str!("../containerd/config.toml"));
    let folder = node::configure(&[("config.toml", &settings)]);
    for plugin in plugins {
        node::install(folder.path(), plugin);
    }
    let config = folder.path().join("config.toml");
    let config = config.to_str().expect("path is text");
    let programs = peers::containerd(release);
    let mut containerd = Node::start(folder, programs, "containerd", &["-c", config]);
    containerd.wait_for_log("containerd successfully booted");
    load_image(&containerd);
    containerd
}

/// Like [`start`], with a separate network for each pod that requests one: `ptp` with `host-local`,
/// from Debian's `containernetworking-plugins`.
///
/// # Panics
///
/// Panics if it cannot be built or does not start.
#[must_use]
pub fn start_with_network(release: &str) -> Node {
    let plugin = Path::new(NETWORK_PLUGINS).join("ptp");
    assert!(plugin.exists(), "{} is missing", plugin.display());
    start_with(release, &[], include_str!("../containerd/network.toml"))
}

/// Returns the output of `ctr deprecations list --format json`.
///
/// # Panics
///
/// Panics if it fails.
#[must_use]
pub fn deprecations(containerd: &Node) -> String {
    ctr(containerd, &["deprecations", "list", "--format", "json"])
}

/// Returns the ids of the deprecations that containerd recorded.
///
/// # Panics
///
/// Panics if they cannot be read.
#[must_use]
pub fn deprecation_ids(containerd: &Node) -> Vec<String> {
    let list: Value =
        serde_json::from_str(&deprecations(containerd)).expect("deprecations are JSON");
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(|entry| entry["id"].as_str().map(str::to_owned)).collect()
}

/// Runs `ctr` and returns its output.
///
/// # Panics
///
/// Panics if it fails.
#[must_use]
pub fn ctr(containerd: &Node, arguments: &[&str]) -> String {
    let mut command = Command::new(containerd.programs().join("ctr"));
    command.args(["--timeout", "30s", "--connect-timeout", "10s"]);
    let socket = containerd.socket();
    run(command.arg("--address").arg(socket).args(arguments))
}

fn load_image(containerd: &Node) {
    let archive = node::pack_image(containerd.folder());
    let archive = archive.to_str().expect("path is text");
    let import = ["-n", "k8s.io", "images", "import", "--local", "--snapshotter", "native"];
    let _ = ctr(containerd, &[&import[..], &[archive]].concat());
}
