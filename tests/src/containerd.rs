//! A real containerd in a temporary folder, with real pods on the host network.
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

/// The folder of Debian's network plugins.
const NETWORK_PLUGINS: &str = "/usr/lib/cni";

/// A plugin that containerd launches.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// `INDEX-NAME`.
    pub full_name: &'a str,
    /// The executable, to be copied.
    pub executable: &'a Path,
    /// The text of its configuration file.
    pub config: &'a str,
}

/// A running containerd.
#[derive(Debug)]
pub struct Containerd {
    process: Process,
    programs: PathBuf,
    tools: PathBuf,
    pods: Vec<String>,
    log: Vec<String>,
    folder: TempDir,
}

impl Containerd {
    /// Starts a release with plugins to launch, and loads the image of the pods.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built or does not start.
    #[must_use]
    pub fn start(release: &str, plugins: &[Launched<'_>]) -> Self {
        Self::start_with(release, plugins, "")
    }

    /// Like [`Containerd::start`], with TOML tables added to the configuration.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built or does not start.
    #[must_use]
    pub fn start_with(release: &str, plugins: &[Launched<'_>], tables: &str) -> Self {
        let (programs, tools) = (peers::containerd(release), peers::pod_tools());
        let folder = tempfile::tempdir().expect("temporary folder");
        write_config(folder.path(), tables);
        for plugin in plugins {
            install(folder.path(), plugin);
        }
        // Ends containerd even if the test is killed.
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=10", "600"])
            .arg(programs.join("containerd"))
            .arg("-c")
            .arg(folder.path().join("config.toml"))
            .env("PATH", path_with(&programs));
        let mut containerd = Self {
            process: Process::spawn(&mut command, Stream::Error),
            programs,
            tools,
            pods: Vec::new(),
            log: Vec::new(),
            folder,
        };
        containerd.wait_for_log("containerd successfully booted");
        containerd.load_image();
        containerd
    }

    /// Like [`Containerd::start`], with a separate network for each pod that requests one: `ptp` with `host-local`, from
    /// Debian's `containernetworking-plugins`.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built or does not start.
    #[must_use]
    pub fn start_with_network(release: &str) -> Self {
        let plugin = Path::new(NETWORK_PLUGINS).join("ptp");
        assert!(plugin.exists(), "{} is missing", plugin.display());
        Self::start_with(release, &[], include_str!("../containerd/network.toml"))
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
    /// Panics if containerd refuses.
    pub fn run_pod(&mut self, name: &str, annotations: &[&str]) -> String {
        let pod = self.cri("run", &[&[name], annotations].concat());
        self.pods.push(pod.clone());
        pod
    }

    /// Creates a container with annotations (`KEY=VALUE`) in a pod and returns its id.
    ///
    /// # Panics
    ///
    /// Panics if containerd refuses.
    #[must_use]
    pub fn create(&self, pod: &str, name: &str, annotations: &[&str]) -> String {
        self.cri("create", &[&[pod, name], annotations].concat())
    }

    /// Runs a command in a container and returns its output. The image only has `/pause stat PATH…`.
    ///
    /// # Panics
    ///
    /// Panics if containerd refuses.
    #[must_use]
    pub fn exec(&self, container: &str, command: &[&str]) -> String {
        self.cri("exec", &[&[container], command].concat())
    }

    /// Sends the request `start`, `update`, `stop` or `remove` for a container, or `update-pod`, `stop-pod` or
    /// `remove-pod` for a pod.
    ///
    /// # Panics
    ///
    /// Panics if containerd refuses.
    pub fn request(&self, verb: &str, id: &str) {
        self.cri(verb, &[id]);
    }

    /// Runs the whole life of a pod with one container.
    ///
    /// # Panics
    ///
    /// Panics if containerd refuses.
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
    /// Panics if containerd refuses.
    pub fn remove_pod(&mut self, pod: &str) {
        self.request("stop-pod", pod);
        self.request("remove-pod", pod);
        self.pods.retain(|known| known != pod);
    }

    /// Returns the output of `ctr deprecations list --format json`.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    #[must_use]
    pub fn deprecations(&self) -> String {
        self.ctr(&["deprecations", "list", "--format", "json"])
    }

    /// Returns the ids of the deprecations that containerd recorded.
    ///
    /// # Panics
    ///
    /// Panics if they cannot be read.
    #[must_use]
    pub fn deprecation_ids(&self) -> Vec<String> {
        let list: Value =
            serde_json::from_str(&self.deprecations()).expect("deprecations are JSON");
        let entries = list.as_array().into_iter().flatten();
        entries
            .filter_map(|entry| entry["id"].as_str().map(str::to_owned))
            .collect()
    }

    /// Runs `ctr` and returns its output.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    #[must_use]
    pub fn ctr(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(self.programs.join("ctr"));
        command.args(["--timeout", "30s", "--connect-timeout", "10s"]);
        run(command.arg("--address").arg(self.socket()).args(arguments))
    }

    /// Waits until containerd logs a message with this text after those that [`Containerd::log`] has returned.
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

    /// Returns the log of containerd so far.
    pub fn log(&mut self) -> &[String] {
        let lines = self.process.take_all(|_| true);
        self.log
            .extend(lines.iter().map(|line| text(line).to_owned()));
        &self.log
    }

    /// Returns the socket of all other services, including the Container Runtime Interface.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("containerd.sock")
    }

    fn cri(&self, verb: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(self.tools.join("cri"));
        run(command.arg(self.socket()).arg(verb).args(arguments))
            .trim()
            .to_owned()
    }

    fn load_image(&self) {
        let archive = self.folder.path().join("image.tar");
        let mut pack = Command::new(self.tools.join("image"));
        run(pack.arg(&archive).arg(IMAGE).arg(self.tools.join("pause")));
        let archive = archive.to_str().expect("path is text");
        let import = [
            "-n",
            "k8s.io",
            "images",
            "import",
            "--local",
            "--snapshotter",
            "native",
        ];
        let _ = self.ctr(&[&import[..], &[archive]].concat());
    }
}

impl Drop for Containerd {
    /// Ends the pods, then containerd, then remaining processes such as shims. Failures are ignored, because the test is
    /// over.
    fn drop(&mut self) {
        for pod in &self.pods {
            for verb in ["stop-pod", "remove-pod"] {
                let mut command = Command::new(self.tools.join("cri"));
                let _ = command.arg(self.socket()).args([verb, pod]).output();
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

/// Shims are not children of containerd. Like all processes of a test, they have its folder on their command line.
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
    format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    )
}

fn install(folder: &Path, plugin: &Launched<'_>) {
    let to = folder.join("plugins").join(plugin.full_name);
    fs::copy(plugin.executable, to).expect("plugin can be installed");
    let config = folder.join(format!("conf.d/{}.conf", plugin.full_name));
    fs::write(config, plugin.config).expect("configuration can be written");
}

fn write_config(folder: &Path, tables: &str) {
    for sub in ["plugins", "conf.d", "opt", "cni"] {
        fs::create_dir(folder.join(sub)).expect("temporary folder is writable");
    }
    let config = format!("{}\n{tables}", include_str!("../containerd/config.toml"));
    let network = include_str!("../containerd/network.conflist");
    for (file, text) in [
        ("config.toml", config.as_str()),
        ("cni/10-pods.conflist", network),
    ] {
        let text = text.replace("FOLDER", folder.to_str().expect("path is text"));
        fs::write(folder.join(file), text).expect("configuration can be written");
    }
}
