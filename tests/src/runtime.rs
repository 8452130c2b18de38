//! Drives the Go runtime of `peers/runtime`, which uses the reference adaptation of an NRI release.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::peers;
use crate::process::{Process, Stream};

/// A runtime and its folder.
#[derive(Debug)]
pub struct Runtime {
    process: Process,
    program: PathBuf,
    identity: [String; 2],
    folder: TempDir,
    last_id: u64,
}

impl Runtime {
    /// Returns a runtime with an NRI release that has not been started, so that plugins to launch
    /// can be installed and the state can be set.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built or run.
    #[must_use]
    pub fn new(release: &str) -> Self {
        Self::named(release, "peer", "v1.0.0")
    }

    /// Like [`Runtime::new`], with the name and version that the runtime reports in Configure.
    ///
    /// # Panics
    ///
    /// Panics like [`Runtime::new`].
    #[must_use]
    pub fn named(release: &str, name: &str, version: &str) -> Self {
        Self::running(peers::runtime(release), name, version)
    }

    /// Like [`Runtime::named`], with another program than that of a release.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be run.
    #[must_use]
    pub fn running(program: PathBuf, name: &str, version: &str) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        for sub in ["plugins", "conf.d"] {
            fs::create_dir(folder.path().join(sub)).expect("temporary folder is writable");
        }
        let identity = [name.to_owned(), version.to_owned()];
        Self {
            process: spawn(&program, &identity, folder.path()),
            program,
            identity,
            folder,
            last_id: 0,
        }
    }

    /// Returns a runtime that has been started, with neither pods nor plugins.
    ///
    /// # Panics
    ///
    /// Panics like [`Runtime::new`].
    #[must_use]
    pub fn started(release: &str) -> Self {
        let mut runtime = Self::new(release);
        runtime.start();
        runtime
    }

    /// Returns the socket for external plugins.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("nri.sock")
    }

    /// Installs an executable as plugin `INDEX-NAME` to be launched, with the text of its
    /// configuration file.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be installed.
    pub fn install(&self, full_name: &str, executable: &Path, config: &str) {
        let folder = self.folder.path();
        symlink(executable, folder.join("plugins").join(full_name))
            .expect("plugin can be installed");
        fs::write(folder.join(format!("conf.d/{full_name}.conf")), config)
            .expect("configuration can be written");
    }

    /// Sends a command and waits for the answer.
    ///
    /// # Errors
    ///
    /// Returns the error in the answer of the runtime.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer in time.
    pub fn command(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        let id = self.send(name, arguments);
        self.answer(id)
    }

    /// Sends a command, whose answer [`Runtime::answer`] returns.
    ///
    /// # Panics
    ///
    /// Panics if the runtime has ended.
    pub fn send(&mut self, name: &str, mut arguments: Value) -> u64 {
        self.last_id += 1;
        arguments["do"] = name.into();
        arguments["id"] = self.last_id.into();
        self.process.write(&arguments.to_string());
        self.last_id
    }

    /// Waits for the answer to a command.
    ///
    /// # Errors
    ///
    /// The error that the runtime answers with.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer in time.
    pub fn answer(&mut self, id: u64) -> Result<Value, String> {
        let answer = self.process.wait_for("an answer", |line| line["id"] == id);
        match answer["ok"].as_bool() {
            Some(true) => Ok(answer),
            _ => Err(answer["error"].as_str().unwrap_or("no error text").to_owned()),
        }
    }

    /// Starts the adaptation: launches plugins, then listens.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
    pub fn start(&mut self) {
        self.command("start", json!({})).expect("runtime starts");
    }

    /// Sets the state for Synchronize: the number of pods and of containers, and the size of the
    /// annotation of each in bytes.
    ///
    /// # Panics
    ///
    /// Panics if the runtime rejects it.
    pub fn set_state(&mut self, pods: usize, containers: usize, padding: usize) {
        let state = json!({"pods": pods, "containers": containers, "pad": padding});
        self.command("state", state).expect("state is set");
    }

    /// Sets the time limit of plugins for a request.
    ///
    /// # Panics
    ///
    /// Panics if the runtime rejects it.
    pub fn set_request_timeout(&mut self, timeout: Duration) {
        let milliseconds = u64::try_from(timeout.as_millis()).expect("a sensible time");
        self.command("timeouts", json!({"request_ms": milliseconds})).expect("timeout is set");
    }

    /// Relays an event about pod 0 and its container with annotations on the pod.
    ///
    /// # Errors
    ///
    /// The error that the adaptation returns to its caller.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer in time.
    pub fn fire(&mut self, event: &str, annotations: Value) -> Result<Value, String> {
        self.command("fire", json!({"event": event, "annotations": annotations}))
    }

    /// Relays an event in a request of a size, in bytes of the whole ttrpc message.
    ///
    /// # Errors
    ///
    /// The error that the adaptation returns to its caller.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer in time.
    pub fn fire_sized(&mut self, event: &str, bytes: usize) -> Result<Value, String> {
        self.command("fire", json!({"event": event, "frame": bytes}))
    }

    /// Relays every event of a pod's life in order, and returns the steps with their outcomes.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer in time.
    pub fn lifecycle(&mut self) -> Vec<Value> {
        let mut answer = self.command("lifecycle", json!({})).expect("lifecycle is relayed");
        match answer["steps"].take() {
            Value::Array(steps) => steps,
            other => panic!("no steps but {other}"),
        }
    }

    /// Waits until plugin `INDEX-NAME` receives events.
    ///
    /// # Panics
    ///
    /// Panics if that does not happen in time.
    pub fn wait_for_plugin(&mut self, full_name: &str) {
        self.wait_for("the plugin", |line| {
            line["event"] == "plugin" && line["plugin"] == full_name
        });
    }

    /// Waits for a line of the runtime's output, and removes it from the queue.
    ///
    /// # Panics
    ///
    /// Panics if it does not come in time.
    pub fn wait_for(&mut self, what: &str, condition: impl Fn(&Value) -> bool) -> Value {
        self.process.wait_for(what, condition)
    }

    /// Returns the calls to plugins since the last time: method, code, sizes, response.
    pub fn calls(&mut self) -> Vec<Value> {
        self.process.take_all(|line| line["event"] == "call")
    }

    /// Returns the names of the calls to plugins since the last time.
    pub fn methods(&mut self) -> Vec<String> {
        let name = |call: &Value| call["method"].as_str().unwrap_or_default().to_owned();
        self.calls().iter().map(name).collect()
    }

    /// Returns the lines that the adaptation has logged since the last time.
    pub fn log(&mut self) -> Vec<String> {
        let lines = self.process.take_all(|line| line["event"] == "log");
        lines.iter().map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the processes of the plugins that it launched.
    ///
    /// # Panics
    ///
    /// Panics if the runtime has ended.
    #[must_use]
    pub fn children(&self) -> Vec<u32> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).expect("it runs");
        let lists: Vec<String> = tasks
            .map(|task| task.expect("is readable").path().join("children"))
            // A thread may end meanwhile.
            .map(|list| fs::read_to_string(list).unwrap_or_default())
            .collect();
        let ids = lists.iter().flat_map(|list| list.split_whitespace());
        ids.map(|id| id.parse().expect("a process id")).collect()
    }

    /// Ends the runtime like a crash, and replaces it with a new process that has not been started.
    ///
    /// # Panics
    ///
    /// Panics if the new one cannot be run.
    pub fn restart(&mut self) {
        self.process.kill();
        self.process = spawn(&self.program, &self.identity, self.folder.path());
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // The runtime ends with its input, and so do launched plugins.
        self.process.close_input();
        self.process.wait_within(Duration::from_secs(2));
    }
}

fn spawn(program: &Path, [name, version]: &[String; 2], folder: &Path) -> Process {
    let mut command = Command::new(program);
    for (flag, file) in [("--socket", "nri.sock"), ("--plugins", "plugins"), ("--config", "conf.d")]
    {
        command.arg(flag).arg(folder.join(file));
    }
    command.args(["--name", name, "--version", version]);
    Process::spawn(&mut command, Stream::Output)
}
