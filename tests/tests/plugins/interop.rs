//! Helpers to run Rust plugins under the Go runtimes.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nri_tests::plugin::Plugin;
use nri_tests::process::PATIENCE;
use nri_tests::runtime::Runtime;
use serde_json::Value;

/// Returns the plugin that follows instructions in annotations.
pub(crate) fn peer() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_plugin"))
}

/// Returns a runtime that links this NRI release, and has the name and version of the first
/// containerd that does. Before NRI v0.12 a plugin can only tell from these.
pub(crate) fn runtime(release: &str) -> Runtime {
    let version = match release {
        "v0.6.1" => "v1.7.16",
        "v0.8.0" => "v1.7.26",
        "v0.11.0" => "v2.2.1",
        _ => "v2.4.2",
    };
    Runtime::named(release, "containerd", version)
}

/// Returns the same, started.
pub(crate) fn started(release: &str) -> Runtime {
    let mut runtime = runtime(release);
    runtime.start();
    runtime
}

/// Starts an external plugin and waits until it gets events.
pub(crate) fn external(runtime: &mut Runtime, executable: &Path, more: &[&str]) -> Plugin {
    let plugin = Plugin::external(executable, &runtime.socket(), "10-rust", more);
    runtime.wait_for_plugin("10-rust");
    runtime.calls();
    plugin
}

/// Returns a started runtime that launched a plugin, with the text of its configuration file.
pub(crate) fn launched(release: &str, executable: &Path, config: &str) -> Runtime {
    let mut runtime = runtime(release);
    runtime.install("10-rust", executable, config);
    runtime.start();
    runtime.wait_for_plugin("10-rust");
    runtime.calls();
    runtime
}

/// Before pods could be updated, and before a failed plugin could be kept.
pub(crate) fn is_old(release: &str) -> bool {
    matches!(release, "v0.6.1" | "v0.8.0")
}

/// Relays a pod's life, and asserts that no step failed and every call of it was understood.
pub(crate) fn relay_life(runtime: &mut Runtime) -> Vec<Value> {
    runtime.log();
    let steps = runtime.lifecycle();
    let failed: Vec<_> = steps.iter().filter(|it| it.get("error").is_some()).collect();
    assert_eq!(failed, Vec::<&Value>::new());
    let calls = runtime.calls();
    // UNIMPLEMENTED makes a runtime fall back to StateChange and record a deprecation.
    let refused: Vec<_> = calls.iter().filter(|it| it["code"] != "OK").collect();
    assert_eq!(refused, Vec::<&Value>::new());
    let log = runtime.log();
    let deprecations: Vec<_> = log.iter().filter(|it| it.contains("deprecated")).collect();
    assert_eq!(deprecations, Vec::<&String>::new());
    calls
}

/// Waits until a process is gone.
pub(crate) fn wait_for_end(process: u32) {
    let stat = format!("/proc/{process}/stat");
    let deadline = Instant::now() + PATIENCE;
    // A zombie has ended: nobody may be there to bury it.
    while fs::read_to_string(&stat).is_ok_and(|text| !text.contains(") Z ")) {
        assert!(Instant::now() < deadline, "process {process} does not end");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the names of the calls.
pub(crate) fn methods(calls: &[Value]) -> Vec<&str> {
    calls.iter().filter_map(|call| call["method"].as_str()).collect()
}
