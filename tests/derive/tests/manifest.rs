//! The manifest is in the shipped executable of a plugin: optimized, linked, without unused parts,
//! stripped.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds in a separate folder: cargo locks the usual one while this test runs.
fn build_release() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--release", "-p", "nri-tests-plugin-2021"])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo build: {status}");
    target.join("release/nri-tests-plugin-2021")
}

#[test]
fn a_stripped_release_file_holds_the_manifests() {
    let program = build_release();
    let file = std::fs::read(&program).expect("cargo built it");
    let mut found: Vec<&str> = nri::manifest::find(&file).collect();
    found.sort_unstable();
    found.dedup();
    let version = env!("CARGO_PKG_VERSION");
    let newest = nri::api::RELEASES.last().expect("there is one");
    let expected = [
        format!(
            r#"{{"format":1,"name":"edition-2021","index":"42","nri":"{version}","protocol":"{newest}","min_protocol":"v0.11.0","events":["RUN_POD_SANDBOX"],"required":[],"required_fields":[],"deprecated":[]}}"#
        ),
        format!(
            r#"{{"format":1,"name":null,"index":null,"nri":"{version}","protocol":"{newest}","min_protocol":null,"events":["RUN_POD_SANDBOX","POST_UPDATE_POD_SANDBOX","STOP_POD_SANDBOX","REMOVE_POD_SANDBOX","POST_CREATE_CONTAINER","START_CONTAINER","POST_START_CONTAINER","POST_UPDATE_CONTAINER","REMOVE_CONTAINER"],"required":[],"required_fields":[],"deprecated":["StateChange"]}}"#
        ),
    ];
    assert_eq!(found, expected);
    assert!(Command::new(&program).status().expect("it starts").success());
}
