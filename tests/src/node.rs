//! A real container runtime in a temporary folder, with real pods on the host network.
//!
//! Needs root, and `runc` on the path.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::peers::{self, run};
use crate::process::{Process, Stream};

/// The name of the image that is loaded.
pub const IMAGE: &str = "localhost/pause:1";

/// A plugin that the runtime launches.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// `INDEX-NAME`, or `INDEX-NAME.bridge/INDEX-NAME` for a plugin that `nri-bridge` stands for.
    pub full_name: &'a str,
    /// The executable, to be copied.
    pub executable: &'a Path,
    /// The text of its configuration file.
    pub config: &'a str,
}

/// A running container runtime.
#[derive(Debug)]
pub struct Node {
    process: Process,
    programs: PathBuf,
    tools: PathBuf,
    socket: PathBuf,
    pods: Vec<String>,
    log: Vec<String>,
    folder: TempDir,
}

impl Node {
    /// Starts a program of a runtime with arguments.
    pub(crate) fn start(
        folder: TempDir,
        programs: PathBuf,
        program: &str,
        arguments: &[&str],
    ) -> Self {
        // Ends the runtime even if the test is killed.
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=10", "600"])
            .arg(programs.join(program))
            .args(arguments)
            .env("PATH", path_with(&programs));
        Self {
            process: Process::spawn(&mut command, Stream::Error),
            programs,
            tools: peers::pod_tools(),
            socket: folder.path().join(format!("{program}.sock")),
            pods: Vec::new(),
            log: Vec::new(),
            folder,
        }
    }

    /// Returns the folder of the programs of the runtime.
    pub(crate) fn programs(&self) -> &Path {
        &self.programs
    }

    /// Returns the temporary folder that contains all its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the socket for external plugins.
    #[must_use]
    pub fn nri_socket(&self) -> PathBuf {
        self.folder.path().join("nri.sock")
    }

    /// Runs a pod with annotations (`KEY=VALUE`) and returns its id.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    pub fn run_pod(&mut self, name: &str, annotations: &[&str]) -> String {
        let pod = self.cri("run", &[&[name], annotations].concat());
        self.pods.push(pod.clone());
        pod
    }

    /// Creates a container with annotations (`KEY=VALUE`) in a pod and returns its id.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    #[must_use]
    pub fn create(&self, pod: &str, name: &str, annotations: &[&str]) -> String {
        self.cri("create", &[&[pod, name], annotations].concat())
    }

    /// Runs a command in a container and returns its output. The image only has
    /// `/pause stat PATH…`.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    #[must_use]
    pub fn exec(&self, container: &str, command: &[&str]) -> String {
        self.cri("exec", &[&[container], command].concat())
    }

    /// Sends the request `start`, `update`, `stop` or `remove` for a container, or `update-pod`,
    /// `stop-pod` or `remove-pod` for a pod.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    pub fn request(&self, verb: &str, id: &str) {
        self.cri(verb, &[id]);
    }

    /// Runs the whole life of a pod with one container.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    pub fn lifecycle(&mut self, name: &str) {
        let pod = self.run_pod(name, &[]);
        let container = self.create(&pod, "main", &[]);
        for verb in ["start", "update", "stop", "remove"] {
            self.request(verb, &container);
        }
        self.remove_pod(&pod);
    }

    /// Stops and removes a pod.
    ///
    /// # Panics
    ///
    /// Panics if the runtime refuses.
    pub fn remove_pod(&mut self, pod: &str) {
        self.request("stop-pod", pod);
        self.request("remove-pod", pod);
        self.pods.retain(|known| known != pod);
    }

    /// Waits until the runtime logs a message with this text after those that [`Node::log`] has
    /// returned.
    ///
    /// # Panics
    ///
    /// Panics if it does not in time.
    pub fn wait_for_log(&mut self, message: &str) {
        // Quotes are escaped in a message.
        let message = message.replace('"', "\\\"");
        loop {
            let line = self.process.wait_for(&message, |_| true);
            self.log.push(text(&line).to_owned());
            if text(&line).contains(&message) {
                break;
            }
        }
    }

    /// Returns the log of the runtime so far.
    pub fn log(&mut self) -> &[String] {
        let lines = self.process.take_all(|_| true);
        self.log.extend(lines.iter().map(|line| text(line).to_owned()));
        &self.log
    }

    /// Returns the socket of all other services, including the Container Runtime Interface.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.socket.clone()
    }

    fn cri(&self, verb: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(self.tools.join("cri"));
        run(command.arg(&self.socket).arg(verb).args(arguments)).trim().to_owned()
    }
}

impl Drop for Node {
    /// Ends the pods, then the runtime, then remaining processes such as shims. Failures are
    /// ignored, because the test is over.
    fn drop(&mut self) {
        for pod in &self.pods {
            for verb in ["stop-pod", "remove-pod"] {
                let mut command = Command::new(self.tools.join("cri"));
                let _ = command.arg(&self.socket).args([verb, pod]).output();
            }
        }
        self.process.terminate();
        self.process.wait_within(Duration::from_secs(5));
        self.process.kill();
        for pid in left_over(self.folder.path()) {
            let _ = Command::new("kill").args(["-KILL", &pid]).output();
        }
    }
}

/// Shims are not children of the runtime. Like all processes of a test, they have its folder on
/// their command line.
fn left_over(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy().into_owned();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&folder)
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

fn text(line: &Value) -> &str {
    line.as_str().unwrap_or_default()
}

fn path_with(programs: &Path) -> String {
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}

/// Packs the image of the pods as an archive in the folder of a runtime, and returns its path.
pub(crate) fn pack_image(folder: &Path) -> PathBuf {
    let (archive, tools) = (folder.join("image.tar"), peers::pod_tools());
    let mut pack = Command::new(tools.join("image"));
    run(pack.arg(&archive).arg(IMAGE).arg(tools.join("pause")));
    archive
}

/// Writes the configuration of a runtime into a new folder, with the network of its pods. `FOLDER`
/// in a text stands for the folder.
pub(crate) fn configure(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    for sub in ["plugins", "conf.d", "opt", "cni"] {
        fs::create_dir(folder.path().join(sub)).expect("temporary folder is writable");
    }
    let path = folder.path().to_str().expect("path is text");
    let network = [("cni/10-pods.conflist", include_str!("../containerd/network.conflist"))];
    for (file, text) in files.iter().chain(&network) {
        let text = text.replace("FOLDER", path);
        fs::write(folder.path().join(file), text).expect("configuration can be written");
    }
    folder
}

/// Installs a plugin in the folder of a runtime.
pub(crate) fn install(folder: &Path, plugin: &Launched<'_>) {
    let to = folder.join("plugins").join(plugin.full_name);
    if let Some((beside, _)) = plugin.full_name.split_once('/') {
        fs::create_dir(folder.join("plugins").join(beside)).expect("folder can be created");
    } else {
        let config = folder.join(format!("conf.d/{}.conf", plugin.full_name));
        fs::write(config, plugin.config).expect("configuration can be written");
    }
    fs::copy(plugin.executable, to).expect("plugin can be installed");
}
