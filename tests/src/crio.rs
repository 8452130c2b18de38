//! CRI-O with real pods.
//!
//! Needs `conmon` and `skopeo` on the path, in addition to the requirements of [`node`].

use std::process::Command;

use crate::node::{self, IMAGE, Node};
use crate::peers::{self, run};

/// Starts CRI-O, and loads the image of the pods.
///
/// # Panics
///
/// Panics if it cannot be built or does not start.
#[must_use]
pub fn start() -> Node {
    let folder = node::configure(&[
        ("crio.conf", include_str!("../crio/crio.conf")),
        ("policy.json", include_str!("../crio/policy.json")),
    ]);
    let path = folder.path().to_str().expect("path is text");
    let archive = node::pack_image(folder.path());
    let mut copy = Command::new("skopeo");
    copy.args(["--insecure-policy", "copy"])
        .arg(format!("oci-archive:{}", archive.display()))
        .arg(format!("containers-storage:[vfs@{path}/root+{path}/run]{IMAGE}"));
    run(&mut copy);
    let config = format!("{path}/crio.conf");
    // Without the files in `/etc/crio/crio.conf.d`.
    let arguments = ["--config", &config, "--config-dir", ""];
    let mut crio = Node::start(folder, peers::crio(), "crio", &arguments);
    // The last message before it serves, on a socket that it has opened earlier.
    crio.wait_for_log("systemd watchdog");
    crio
}
