//! Probes plugins that are WebAssembly modules.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nri_adaptation::Revision;
use nri_conformance::probe::{Form, NO_SUCH_RPC, Options, RpcAnswer, TroubleKind, Verdict, probe};
use nri_conformance::subject::{Executable, Subject};
use tempfile::TempDir;

/// A module with functions for these RPCs. Configure subscribes to RunPodSandbox.
fn module(rpcs: &[&str]) -> Vec<u8> {
    // The answer to Configure: field 2, the mask.
    let mut text = String::from(
        r#"(module
        (memory (export "memory") 2)
        (data (i32.const 16) "\10\01")
        (func (export "plugin_api_version") (result i64) i64.const 1)
        (func (export "malloc") (param i32) (result i32) i32.const 4096)
        (func (export "free") (param i32))"#,
    );
    for rpc in rpcs {
        // The address in the upper half, the length in the lower one.
        let body = match *rpc {
            "Configure" => "i64.const 0x1000000002",
            _ => "i64.const 0",
        };
        let name = function(rpc);
        let function = format!(r#"(func (export "{name}") (param i32 i32) (result i64) {body})"#);
        text.write_str(&function).unwrap();
    }
    text.push(')');
    wat::parse_str(text).unwrap()
}

fn function(rpc: &str) -> String {
    let letters = rpc.chars().map(|letter| match letter {
        'A'..='Z' => format!("_{}", letter.to_ascii_lowercase()),
        _ => letter.to_string(),
    });
    format!("plugin{}", letters.collect::<String>())
}

/// Returns the RPCs of a release.
fn rpcs(release: &str) -> Vec<&'static str> {
    let revision = Revision::of(release).unwrap();
    let rpcs = Revision::rpcs().iter().filter(|rpc| revision.has_rpc(rpc.name));
    rpcs.map(|rpc| rpc.name).collect()
}

fn subject(folder: &TempDir, code: &[u8]) -> Subject {
    let path: PathBuf = folder.path().join("10-module");
    std::fs::write(&path, code).unwrap();
    subject_at(&path)
}

fn subject_at(path: &Path) -> Subject {
    Subject::launched(Executable::new(path))
}

#[tokio::test]
async fn a_complete_module_loads_from_v0_9_0_on() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = subject(&folder, &module(&rpcs("v0.12.5")));
    let probed = probe(&plugin, &Options::default()).await.unwrap();
    assert_eq!(probed.form, Form::Wasm);
    assert_eq!(&*probed.subject.name, "module");
    let pods = probed.rpc("RunPodSandbox").unwrap();
    assert_eq!(pods.answer, RpcAnswer::Implemented, "{pods:?}");
    assert!(probed.exports.contains(&"plugin_run_pod_sandbox".to_owned()));
    let verdict = |target: &str| probed.target(target).unwrap().verdict;
    assert_eq!(verdict("nri@0.8.0"), Verdict::Dropped);
    for target in ["nri@0.9.0", "nri@0.11.0", "nri@0.12.4"] {
        assert_eq!(verdict(target), Verdict::Works, "{target}");
    }
}

#[tokio::test]
async fn a_module_without_dedicated_functions_does_not_load_from_v0_12_0_on() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = subject(&folder, &module(&rpcs("v0.11.0")));
    let probed = probe(&plugin, &Options::default()).await.unwrap();
    let pods = probed.rpc("RunPodSandbox").unwrap();
    assert_eq!(pods.answer, RpcAnswer::Breaks);
    assert!(pods.detail.contains("plugin_run_pod_sandbox"), "{}", pods.detail);
    assert_eq!(probed.rpc("StateChange").unwrap().answer, RpcAnswer::Implemented);
    assert_eq!(probed.rpc(NO_SUCH_RPC).unwrap().answer, RpcAnswer::Fallback);
    assert_eq!(probed.target("nri@0.11.0").unwrap().verdict, Verdict::Works);
    let new = probed.target("nri@0.12.0").unwrap();
    assert_eq!(new.verdict, Verdict::Dropped);
    assert!(new.reason.contains("is not exported"), "{}", new.reason);
}

#[tokio::test]
async fn a_truncated_module_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = subject(&folder, b"\0asm\x01\0\0\0garbage");
    let probed = probe(&plugin, &Options::default()).await.unwrap();
    assert_eq!(probed.worst(), Some(Verdict::Dropped));
    assert_eq!(probed.troubles[0].kind, TroubleKind::NotConnected);
}
