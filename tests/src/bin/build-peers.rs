//! Builds all Go peers and prints the time for each.
//!
//! Arguments select peers: `go` (runtimes and plugins), `registry`, `specimens`, `containerd`,
//! `crio`, `kubernetes`. The last takes many minutes, and is built only if it is selected.
#![forbid(unsafe_code)]

use std::time::Instant;
use std::{env, path::PathBuf};

use nri_tests::{peers, specimens};

fn main() {
    let chosen: Vec<String> = env::args().skip(1).collect();
    let wants = |name: &str| chosen.is_empty() || chosen.iter().any(|c| c == name);
    if wants("go") {
        for nri in peers::NRI_RELEASES {
            report(|| peers::nri_build(nri).build());
        }
        report(peers::runtime_without_state_change);
        report(peers::oci);
        report(peers::samples);
        report(peers::hooks);
        report(peers::transfer);
    }
    if wants("specimens") {
        let specimens = specimens::table();
        for build in specimens.build.keys() {
            report(|| specimens.build(build));
        }
    }
    if wants("registry") {
        report(peers::distribution);
    }
    if wants("containerd") {
        report(peers::pod_tools);
        for release in peers::CONTAINERD_RELEASES {
            report(|| peers::containerd(release));
        }
    }
    if wants("crio") {
        report(peers::crio);
    }
    if chosen.iter().any(|name| name == "kubernetes") {
        report(peers::kubernetes);
    }
}

fn report(build: impl FnOnce() -> PathBuf) {
    let start = Instant::now();
    let folder = build();
    println!("{:6.1} s  {}", start.elapsed().as_secs_f64(), folder.display());
}
