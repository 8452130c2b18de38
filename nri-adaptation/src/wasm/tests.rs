//! Modules of every kind of malice, written as text.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use super::super::Adaptation;
use super::super::revision::Revision;
use super::module::function;
use super::*;
use nri::api::PodSandbox;

/// Seconds that no test needs.
const AMPLE: Duration = Duration::from_secs(60);

/// A module that answers every request with nothing, except for these definitions and the body of
/// `RunPodSandbox`.
fn module(definitions: &str, run_pod_sandbox: &str) -> Vec<u8> {
    let mut text = format!(
        r#"(module {definitions}
        (memory (export "memory") 2)
        (data (i32.const 16) "broken")
        (func (export "plugin_api_version") (result i64) i64.const 1)
        (func $malloc (export "malloc") (param i32) (result i32) i32.const 4096)
        (func (export "free") (param i32))"#
    );
    for rpc in required() {
        let body = match rpc {
            "RunPodSandbox" => run_pod_sandbox,
            _ => "i64.const 0",
        };
        let name = function(rpc);
        let function = format!(r#"(func (export "{name}") (param i32 i32) (result i64) {body})"#);
        text.write_str(&function).unwrap();
    }
    text.push(')');
    wat::parse_str(text).unwrap()
}

fn required() -> Vec<&'static str> {
    module::required(&Revision::newest()).unwrap()
}

fn load(code: &[u8]) -> Result<Module, ModuleError> {
    let rpcs = required();
    Module::load("10-test", code, Some(&rpcs), 1 << 20, Limit::within(AMPLE))
}

/// Loads a module whose `RunPodSandbox` has this body, and calls it.
fn call(definitions: &str, body: &str) -> Result<Vec<u8>, ModuleError> {
    call_within(definitions, body, AMPLE)
}

fn call_within(definitions: &str, body: &str, within: Duration) -> Result<Vec<u8>, ModuleError> {
    let mut module = load(&module(definitions, body)).unwrap();
    module.call("RunPodSandbox", b"request", Limit::within(within))
}

#[test]
fn answers_and_errors_are_read() {
    assert_eq!(call("", "i64.const 0").unwrap(), b"");
    // Address 16 in the upper half, length 6 in the lower.
    assert_eq!(call("", "i64.const 0x1000000006").unwrap(), b"broken");
    let error = call("", "i64.const 0x1080000006").unwrap_err();
    assert!(!error.is_fatal());
    assert_eq!(error.to_string(), "broken");
    // The request is at the address that `malloc` returned.
    let request = "(i64.or (i64.shl (i64.extend_i32_u (local.get 0)) (i64.const 32)) (i64.extend_i32_u (local.get 1)))";
    assert_eq!(call("", request).unwrap(), b"request");
}

#[test]
fn loops_sleeps_and_waits_end_with_the_time() {
    let poll = r#"(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))"#;
    // A subscription to the clock at 0, for 2^40 ns.
    let sleep = "(i64.store (i32.const 24) (i64.const 0x10000000000)) (i64.store (i32.const 16) (i64.const 1))
        (drop (call $poll (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512))) i64.const 0";
    for (definitions, body) in [
        ("", "(loop $again (br $again)) unreachable"),
        (
            "",
            "(loop $again (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536)) (br $again)) unreachable",
        ),
        (poll, sleep),
    ] {
        let start = Instant::now();
        let error = call_within(definitions, body, Duration::from_millis(50)).unwrap_err();
        assert!(matches!(error, ModuleError::Time(_)), "{body}: {error}");
        assert!(start.elapsed() < AMPLE);
    }
}

#[test]
fn a_call_ends_when_nobody_waits() {
    let mut module = load(&module("", "(loop $again (br $again)) unreachable")).unwrap();
    let limit = Limit::within(AMPLE);
    drop(limit.hold());
    let error = module.call("RunPodSandbox", b"", limit).unwrap_err();
    assert!(matches!(error, ModuleError::Abandoned), "{error}");
}

#[test]
fn traps_are_errors() {
    let exit = r#"(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))"#;
    for (definitions, body, message) in [
        ("", "unreachable", "unreachable"),
        ("(func $f (result i64) call $f)", "call $f", "stack"),
        ("", "(i64.load (i32.const -8))", "out of bounds"),
        ("", "(i64.div_u (i64.const 1) (i64.const 0))", "divide by zero"),
        (exit, "(call $exit (i32.const 3)) i64.const 0", "exited with status 3"),
    ] {
        let error = call(definitions, body).unwrap_err();
        assert!(error.is_fatal() && !error.is_silence());
        assert!(error.to_string().contains(message), "{message}: {error}");
    }
}

#[test]
fn memory_is_limited() {
    let grow = "(i64.extend_i32_s (memory.grow (i32.const 1000)))";
    // -1 is an error message of 2 GiB at the end of memory.
    let error = call("", grow).unwrap_err().to_string();
    assert!(error.contains("at most"), "{error}");
    let huge = wat::parse_str(r#"(module (memory (export "memory") 10000))"#).unwrap();
    assert!(load(&huge).is_err());
    let tables = wat::parse_str("(module (table 100000000 funcref))").unwrap();
    assert!(load(&tables).is_err());
}

#[test]
fn answers_outside_of_memory_are_errors() {
    for packed in ["0xffffffff00000010", "0x0001fffd00000004", "0x00000000003fffff"] {
        let error = call("", &format!("i64.const {packed}")).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("not in the memory"), "{packed}: {error}");
    }
    let error = call("", "i64.const 0x7fffffff").unwrap_err();
    assert!(error.to_string().contains("at most"), "{error}");
}

#[test]
fn a_buffer_for_the_request_has_to_be_in_memory() {
    // `i32.const` and `end` in four bytes: `malloc` returns 0, or the end of 8191 pages of 64
    // bytes.
    for address in [[0x41, 0x80, 0x00, 0x0b], [0x41, 0xff, 0x7f, 0x0b]] {
        let mut code = module("", "i64.const 0");
        let good = [0x41, 0x80, 0x20, 0x0b];
        let at = code.windows(4).position(|bytes| bytes == good).unwrap();
        code.splice(at..at + 4, address);
        let mut module = load(&code).unwrap();
        let limit = Limit::within(AMPLE);
        let error = module.call("RunPodSandbox", b"request", limit).unwrap_err();
        assert!(error.to_string().contains("not in the memory"), "{error}");
    }
}

#[test]
fn what_is_missing_or_foreign_is_named() {
    let code = |text: &str| load(&wat::parse_str(text).unwrap());
    let version = r#"(memory (export "memory") 1) (func (export "plugin_api_version") (result i64) i64.const"#;
    for (text, message) in [
        ("(module)".to_owned(), "plugin_api_version is not exported"),
        (format!("(module {version} 2))"), "API version mismatch, host: 1, plugin: 2"),
        (format!("(module {version} 1))"), "plugin_configure is not exported"),
        (
            r#"(module (func (export "plugin_api_version") (param f32)))"#.into(),
            "invalid signature",
        ),
        (r#"(module (import "env" "system" (func)))"#.into(), "system"),
        (r#"(module (import "env" "log" (func)))"#.into(), "log"),
        (r#"(module (func $f (loop $again (br $again))) (start $f))"#.into(), "fuel"),
    ] {
        let Err(error) = code(&text) else {
            panic!("{text} was loaded");
        };
        assert!(error.to_string().contains(message), "{message}: {error}");
    }
    assert!(load(b"\0asm\x01\0\0\0\xff").is_err());
    assert!(load(b"").is_err());
}

#[test]
fn logs_are_read_with_care_and_in_moderation() {
    let import = r#"(import "env" "log" (func $log (param i32 i32) (result i64)))"#;
    let outside = "(call $log (i32.const 0x1fff0) (i32.const 100))";
    let error = call(import, outside).unwrap_err();
    assert!(error.to_string().starts_with("log: 100 bytes"), "{error}");
    let garbage = "(call $log (i32.const 16) (i32.const 6))";
    assert!(call(import, garbage).unwrap_err().to_string().starts_with("log: "));
    let empty =
        "(loop $again (drop (call $log (i32.const 0) (i32.const 0))) (br $again)) unreachable";
    let stopped = call_within(import, empty, Duration::from_millis(50)).unwrap_err();
    assert!(matches!(stopped, ModuleError::Time(_)), "{stopped}");
}

#[test]
fn no_changed_byte_makes_the_host_panic() {
    let code = module("", "(i64.load (local.get 0))");
    for at in 0..code.len() {
        let mut changed = code.clone();
        changed[at] ^= 1 << (at % 8);
        if let Ok(mut module) = load(&changed) {
            let limit = Limit::within(Duration::from_millis(5));
            let _ = module.call("RunPodSandbox", b"request", limit);
        }
        // Cut at the end of a section, it may still be a module.
        let _ = load(&code[..at]);
    }
}

/// Installs a module in a new plugin directory.
fn installed(name: &str, code: &[u8]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, code).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    directory
}

async fn started(directory: &Path) -> Adaptation {
    Adaptation::builder("test", "1.0")
        .plugin_dir(directory)
        .config_dir(directory)
        .request_timeout(Duration::from_millis(300))
        .start()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_module_that_traps_or_never_ends_is_disconnected() {
    for body in ["unreachable", "(loop $again (br $again)) unreachable"] {
        let directory = installed("10-bad", &module("", body));
        let adaptation = started(directory.path()).await;
        let relayed = adaptation.run_pod_sandbox(&PodSandbox::default()).await;
        assert_eq!(relayed.is_err(), body == "unreachable", "{relayed:?}");
        let gone = tokio::time::timeout(AMPLE, async {
            while !adaptation.plugins().is_empty() {
                tokio::task::yield_now().await;
            }
        });
        gone.await.unwrap();
        assert!(adaptation.run_pod_sandbox(&PodSandbox::default()).await.is_ok());
    }
}

#[tokio::test]
async fn a_module_that_does_not_load_is_left_out() {
    let directory = installed("10-empty", b"\0asm\x01\0\0\0");
    assert!(started(directory.path()).await.plugins().is_empty());
}

#[test]
fn each_release_needs_the_functions_of_its_rpcs() {
    let required = |release: &str| module::required(&Revision::of(release).unwrap());
    assert!(required("v0.8.0").is_err());
    let old = required("v0.9.0").unwrap();
    assert_eq!(old.len(), 7, "{old:?}");
    assert!(old.contains(&"StateChange") && !old.contains(&"RunPodSandbox"));
    let untagged = required("v0.9.1-0.20250219030224-e597e7849f24").unwrap();
    assert!(untagged.contains(&"UpdatePodSandbox"), "{untagged:?}");
    assert_eq!(required("v0.11.0").unwrap().len(), 9);
    assert_eq!(required("v0.12.5").unwrap().len(), nri::__private::RPCS.len());
}
