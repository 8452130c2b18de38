//! Plugins that are processes.

mod cleanup;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, absolute};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nri::wire::Socket;
use nri_adaptation::pass_socket;
use rustix::process::{Signal, WaitId, WaitIdOptions, waitid};
use tempfile::TempDir;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::error::{Error, Result};

use super::{Executable, Output, Stream};
pub use cleanup::adopt_orphans;

/// The name and index of a plugin without its own.
pub(super) const NAME: &str = "plugin";
pub(super) const INDEX: &str = "00";

/// The variable with the folder to use in place of the root of the file system.
const DRY_ROOT: &str = "NRI_DRY_ROOT";

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The interval at which a process that should end is checked.
const POLL: Duration = Duration::from_millis(2);

/// The time that a killed process has to disappear.
const GONE: Duration = Duration::from_millis(500);

/// The time that the rest of the output of an ended process has to arrive.
const REST: Duration = Duration::from_secs(1);

/// The process of a plugin. The process, and everything that it has started, is killed when this is
/// dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Its id, which is also that of its group. It is not reused before the process is reaped, when
    /// this is dropped.
    pid: u32,
    output: Output,
    reading: Vec<JoinHandle<()>>,
    /// The value of [`cleanup::VARIABLE`] in the environment of its descendants.
    marker: String,
    _folder: TempDir,
}

/// Launches a plugin like a runtime. Returns the runtime's end of the connection.
pub(super) fn launch(executable: &Executable) -> Result<(Box<dyn Stream>, Process)> {
    let failed = |error| Error::io("launch", &executable.path, error);
    let (ours, theirs) = StdUnixStream::pair().map_err(failed)?;
    ours.set_nonblocking(true).map_err(failed)?;
    let stream = UnixStream::from_std(ours).and_then(Socket::new).map_err(failed)?;
    let process = start(executable, None, |command, path| {
        if !executable.own_identity {
            let (index, name) = identity(path);
            command.env("NRI_PLUGIN_NAME", name);
            command.env("NRI_PLUGIN_IDX", index);
        }
        command.env("NRI_PLUGIN_SOCKET", "3");
        pass_socket(command.as_std_mut(), theirs);
    })?;
    Ok((Box::new(stream), process))
}

/// Starts a plugin that connects to a socket.
pub(super) fn external(executable: &Executable, socket: &Path) -> Result<Process> {
    start(executable, Some(socket), |command, _| {
        command.env("NRI_SOCKET", socket);
    })
}

fn start(
    executable: &Executable,
    socket: Option<&Path>,
    connect: impl FnOnce(&mut Command, &Path),
) -> Result<Process> {
    let failed = |error| Error::io("start", &executable.path, error);
    fs::metadata(&executable.path).map_err(failed)?;
    // A link is not followed: a runtime takes the name of the plugin from it, and `nri-bridge` that
    // of the plugin behind it.
    let path = absolute(&executable.path).map_err(failed)?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let marker = cleanup::marker();
    let mut command = program(&path, executable.isolate);
    let places = [("{socket}", socket), ("{dry-root}", executable.dry_root.as_deref())];
    command
        .args(executable.args.iter().map(|arg| filled_in(arg, &places)))
        .env_clear()
        .envs(executable.dry_root.as_ref().map(|root| (DRY_ROOT, root)))
        .env(cleanup::VARIABLE, &marker)
        .envs(executable.env.iter().map(|(key, value)| (key, filled_in(value, &places))))
        .current_dir(folder.path())
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    connect(&mut command, &path);
    let (mut child, pid) = cleanup::spawn(&mut command).map_err(|error| {
        failed(error).with_help("give an executable file of this machine's architecture")
    })?;
    let output = Output::default();
    let stdout = child.stdout.take().map(|pipe| tokio::spawn(output.clone().read(pipe)));
    let stderr = child.stderr.take().map(|pipe| tokio::spawn(output.clone().read(pipe)));
    Ok(Process {
        child,
        pid,
        output,
        reading: stdout.into_iter().chain(stderr).collect(),
        marker,
        _folder: folder,
    })
}

/// Returns the command of an executable, in its own namespaces if requested.
fn program(path: &Path, isolate: bool) -> Command {
    if !isolate {
        return Command::new(path);
    }
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--"]).arg(path);
    command
}

/// Inserts the paths of this instance into an argument. An argument that is not UTF-8 remains
/// unchanged.
fn filled_in(text: &OsStr, places: &[(&str, Option<&Path>)]) -> OsString {
    let Some(text) = text.to_str() else {
        return text.to_owned();
    };
    let places =
        places.iter().filter_map(|(name, path)| Some((name, path.and_then(Path::to_str)?)));
    let filled = places.fold(text.to_owned(), |text, (name, path)| text.replace(name, path));
    filled.into()
}

/// Returns the index and the name of a file `NN-name`.
pub(super) fn identity(path: &Path) -> (String, String) {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match file.split_once('-') {
        Some((index, name)) if index.len() == 2 && index.bytes().all(|b| b.is_ascii_digit()) => {
            (index.to_owned(), name.to_owned())
        }
        _ => (INDEX.to_owned(), NAME.to_owned()),
    }
}

impl Process {
    /// Returns its output.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Waits until its whole output has been read. Returns false if more may follow after `within`,
    /// for example because another process keeps the output open.
    pub async fn output_ended(&mut self, within: Duration) -> bool {
        let reading = &mut self.reading;
        let read = async {
            while let Some(pipe) = reading.last_mut() {
                // It can only be cancelled, together with the runtime.
                let _ = pipe.await;
                reading.pop();
            }
        };
        timeout(within, read).await.is_ok()
    }

    /// Returns the last lines that it printed. If it has ended, waits for the rest of its output.
    pub(crate) async fn last_lines(&mut self) -> Vec<String> {
        if self.exit().is_some() {
            self.output_ended(REST).await;
        }
        self.output.last_lines()
    }

    /// Returns its process id, unless it has ended.
    pub fn id(&self) -> Option<u32> {
        self.exit().is_none().then_some(self.pid)
    }

    /// Returns how it ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        // It is not reaped yet, so that its id, and that of its group, is not reused.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(cleanup::pid(self.pid)?), options).ok().flatten()?;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(Exit::Code(code)),
            (None, signal) => Some(Exit::Signal(signal.unwrap_or_default())),
        }
    }

    /// Waits for it to end. Returns `None` if it has not ended after `within`.
    pub async fn ended(&self, within: Duration) -> Option<Exit> {
        let ended = async {
            loop {
                if let Some(exit) = self.exit() {
                    return exit;
                }
                sleep(POLL).await;
            }
        };
        timeout(within, ended).await.ok()
    }

    /// Asks it to end, with SIGTERM.
    pub fn terminate(&self) {
        cleanup::signal(self.pid, Signal::TERM);
    }

    /// Returns the memory, descriptors, threads and processor time that it uses; `None` if it has
    /// ended.
    pub fn usage(&self) -> Option<Usage> {
        Usage::of(self.id()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        cleanup::end(self.pid, &self.marker);
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < GONE {
            std::thread::sleep(POLL / 4);
        }
        cleanup::unregister(self.pid);
    }
}

/// The resources that a process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory in bytes.
    pub memory: u64,
    /// Open file descriptors.
    pub descriptors: usize,
    /// Threads.
    pub threads: usize,
    /// The processor time that its threads have used, or waited for while other processes ran.
    pub cpu_wanted: Duration,
}

impl Usage {
    /// Reads the usage of a process from `/proc`; `None` if the process is gone.
    fn of(pid: u32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some(Usage {
            memory: number("VmRSS:").unwrap_or_default() * 1024,
            descriptors: fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count(),
            threads: usize::try_from(number("Threads:")?).ok()?,
            cpu_wanted: cpu_wanted(pid)?,
        })
    }
}

/// Returns the processor time that all threads of a process have used or waited for.
fn cpu_wanted(pid: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let of_thread = |thread: std::io::Result<fs::DirEntry>| wanted_by(&thread.ok()?.path());
    let nanoseconds = threads.filter_map(of_thread).fold(0, u64::saturating_add);
    Some(Duration::from_nanos(nanoseconds))
}

/// Returns the sum of the first two numbers in the `schedstat` of a thread: nanoseconds spent on a
/// processor and in a run queue. A sleeping thread adds to neither, regardless of the load of the
/// machine.
fn wanted_by(thread: &Path) -> Option<u64> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace();
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(next()?.saturating_add(next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_gives_the_identity() {
        let of = |name: &str| identity(Path::new(name));
        assert_eq!(of("/opt/10-logger"), ("10".into(), "logger".into()));
        assert_eq!(of("/opt/logger"), (INDEX.into(), NAME.into()));
        assert_eq!(of("1x-logger"), (INDEX.into(), NAME.into()));
    }
}
