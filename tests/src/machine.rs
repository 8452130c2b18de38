//! The machine on which commands run: this one, or namespaces that look like a separate one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::peers::run;
use crate::process::{Process, Stream};

/// The script that sets up the machine and waits for the end of its input. Everything else in the
/// namespaces ends with it.
const INIT: &str = include_str!("machine.sh");

/// The machine on which commands are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    /// The init process of the machine; `None` for this machine.
    init: Option<u32>,
}

impl Host {
    /// Returns true for this machine.
    #[must_use]
    pub fn is_this_machine(self) -> bool {
        self.init.is_none()
    }

    /// Returns a command that will run on it.
    #[must_use]
    pub fn command(self, program: impl AsRef<Path>) -> Command {
        let Some(init) = self.init else {
            return Command::new(program.as_ref());
        };
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--pid", "--net", "--uts", "--target", &init.to_string(), "--"]);
        command.arg(program.as_ref());
        command
    }
}

/// Namespaces with their own folders for everything that a node reads and writes (`/etc`, `/opt`,
/// `/run` and `/var`), with an isolated network, and without the processes of this machine. Needs
/// root.
#[derive(Debug)]
pub struct Machine {
    process: Process,
    host: Host,
    cgroup: String,
    folder: TempDir,
}

impl Machine {
    /// Starts a machine with this name, on which nothing runs.
    ///
    /// # Panics
    ///
    /// Panics without root, `unshare` or `ip`.
    #[must_use]
    pub fn start(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let cgroup =
            format!("nri-tests-{}", folder.path().file_name().expect("it has a name").display())
                .replace('.', "");
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--pid", "--net", "--uts", "--fork", "--kill-child", "--mount-proc"])
            .args(["sh", "-euc", INIT, "init"])
            .arg(folder.path())
            .args([name, &cgroup]);
        let mut process = Process::spawn(&mut command, Stream::Output);
        process.wait_for("ready", |line| line == "ready");
        let host = Host { init: Some(child(process.id())) };
        Self { process, host, cgroup, folder }
    }

    /// Returns the host for its commands.
    #[must_use]
    pub fn host(&self) -> Host {
        self.host
    }

    /// Returns the outside path of a path inside, which must be in one of its own folders.
    #[must_use]
    pub fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside.trim_start_matches('/'))
    }

    /// Returns the parent of the cgroups of its pods.
    #[must_use]
    pub fn cgroup(&self) -> &str {
        &self.cgroup
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.process.close_input();
        // The kernel ends the other processes in the namespaces before it releases the first one.
        self.process.wait_within(Duration::from_secs(10));
        self.process.kill();
        remove_cgroups(&self.cgroup);
    }
}

/// Returns the only child of a process.
fn child(parent: u32) -> u32 {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))
        .expect("the kernel lists the children of a process");
    children.trim().parse().expect("unshare has one child")
}

/// Removes a cgroup and those in it, in the unified hierarchy or in all of version 1.
fn remove_cgroups(name: &str) {
    let hierarchies =
        fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten().map(|entry| entry.path());
    for cgroup in hierarchies.chain(["/sys/fs/cgroup".into()]).map(|path| path.join(name)) {
        if cgroup.is_dir() {
            // Only folders can be removed there. A failure leaves an empty cgroup behind, which is
            // harmless.
            let _ = Command::new("find")
                .arg(&cgroup)
                .args(["-depth", "-type", "d", "-exec", "rmdir", "{}", ";"])
                .output();
        }
    }
}

/// Runs a command on a machine and returns its standard output.
///
/// # Panics
///
/// Panics like [`run`].
pub fn run_on(host: Host, program: impl AsRef<Path>, arguments: &[&str]) -> String {
    run(host.command(program).args(arguments))
}
