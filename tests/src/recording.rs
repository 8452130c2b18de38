//! Recordings of real sessions: `nri-compat record --proxy` between the example runtime and a
//! plugin.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::examples::{example, nri_compat};
use crate::plugin::Plugin;
use crate::process::{PATIENCE, Process, Stream};

/// A finished recording, and its folder.
#[derive(Debug)]
pub struct Recording {
    folder: TempDir,
    /// The report of `record` on standard error.
    pub report: String,
}

impl Recording {
    /// Records the whole life of a pod with a container that the example runtime simulates under a
    /// release of NRI.
    ///
    /// # Panics
    ///
    /// Panics if a part does not start, or does not end in time.
    #[must_use]
    pub fn of(plugin: &Path, release: &str) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str| folder.path().join(name);
        let mut runtime = runtime(&folder, release);
        appears(&at("nri.sock"));
        let mut command = Command::new(nri_compat());
        command.arg("record").arg("--socket").arg(at("nri.sock"));
        command.arg("--proxy").arg(at("proxy.sock"));
        command.arg("--output").arg(at("session.nri"));
        let mut record = Process::spawn(&mut command, Stream::Output);
        appears(&at("proxy.sock"));
        let plugin = Plugin::external(plugin, &at("proxy.sock"), "10-recorded", &[]);
        assert_eq!(runtime.wait(), Some(0), "{}", runtime.aside());
        drop(plugin);
        record.terminate();
        assert_eq!(record.wait(), Some(0), "{}", record.aside());
        Self { report: record.aside(), folder }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("session.nri")
    }

    /// Replays it with the command to a plugin that accepts `--socket`, `--name` and `--index`.
    ///
    /// # Panics
    ///
    /// Panics if the command does not start.
    #[must_use]
    pub fn replay(&self, plugin: &Path) -> Output {
        let mut replay = Command::new(nri_compat());
        replay.arg("replay").arg(self.path()).arg(plugin);
        replay.args(["--", "--socket", "{socket}", "--name", "recorded"]);
        let output = replay.args(["--index", "10"]).output();
        output.expect("the command starts")
    }
}

/// Starts the example runtime with a scenario, which waits for one plugin.
fn runtime(folder: &TempDir, release: &str) -> Process {
    let pod = json!({"id": "p1", "name": "web", "namespace": "default", "uid": "u1"});
    let container = json!({"id": "c1", "podSandboxId": "p1", "name": "app", "env": ["LANG=C"]});
    let of_pod = |event: &str| json!({"event": event, "pod": pod});
    let of_container = |event: &str| json!({"event": event, "pod": pod, "container": container});
    let steps = [
        of_pod("RunPodSandbox"),
        of_container("CreateContainer"),
        of_container("StartContainer"),
        of_container("StopContainer"),
        of_container("RemoveContainer"),
        of_pod("StopPodSandbox"),
        of_pod("RemovePodSandbox"),
    ];
    let scenario = folder.path().join("scenario.json");
    std::fs::write(&scenario, json!({"steps": steps}).to_string()).expect("it can be written");
    let mut runtime = Command::new(example("runtime"));
    runtime.arg("--socket").arg(folder.path().join("nri.sock"));
    runtime.args(["--speak", release, "--wait", "1", "--scenario"]);
    Process::spawn(runtime.arg(&scenario), Stream::Output)
}

/// Waits until a socket exists.
fn appears(socket: &Path) {
    let deadline = Instant::now() + PATIENCE;
    while !socket.exists() {
        assert!(Instant::now() < deadline, "{} is missing", socket.display());
        thread::sleep(Duration::from_millis(5));
    }
}
