//! The process of the plugin.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nri::PluginId;
use nri::wire::Socket;
use rustix::io::{FdFlags, fcntl_setfd};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::UnixStream;
use tokio::process::{Child as Process, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};

/// The time that the plugin has to end by itself after its connection was closed.
const GRACE: Duration = Duration::from_secs(1);

/// The maximum length of a line of the plugin's output in bytes; a longer one is cut into several.
const MAX_LINE: usize = 8 << 10;

/// The program of the plugin, and how to start it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The path of the program.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The index and name that it finds in its environment, as if a runtime launched it; without
    /// them it has its own.
    pub id: Option<PluginId>,
}

/// The running plugin. It is killed when the value is dropped.
#[derive(Debug)]
pub struct Child {
    process: Process,
    output: [Option<JoinHandle<()>>; 2],
}

impl Program {
    /// Starts the plugin with one end of a connection, as a runtime does; returns the other end.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O enabled.
    pub fn start(&self) -> Result<(Socket, Child), Error> {
        let failed = |error| Error::of_path(ErrorKind::Launch, "cannot start", &self.path, error);
        let (ours, theirs) = StdUnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let socket = UnixStream::from_std(ours).and_then(Socket::new).map_err(failed)?;
        let process = self.spawn(theirs).map_err(failed)?;
        Ok((socket, Child::new(process, &self.label())))
    }

    fn spawn(&self, socket: StdUnixStream) -> io::Result<Process> {
        let mut command = Command::new(&self.path);
        if let Some(PluginId { index, name, .. }) = &self.id {
            command.env("NRI_PLUGIN_NAME", name).env("NRI_PLUGIN_IDX", index);
        }
        // The bridge starts one program at a time, so that no other one inherits the socket.
        fcntl_setfd(&socket, FdFlags::empty())?;
        command
            .args(&self.arguments)
            .env("NRI_PLUGIN_SOCKET", socket.as_raw_fd().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }

    /// Returns the index and name of the plugin, or else the name of the program.
    fn label(&self) -> String {
        match &self.id {
            Some(id) => id.to_string(),
            None => self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl Child {
    fn new(mut process: Process, label: &str) -> Self {
        let out = process.stdout.take().map(|pipe| tokio::spawn(log(pipe, label.to_owned())));
        let err = process.stderr.take().map(|pipe| tokio::spawn(log(pipe, label.to_owned())));
        Self { process, output: [out, err] }
    }

    /// Waits for the end of the plugin, whose connection is closed, and kills it if it does not end
    /// by itself. Returns how it ended, for a message.
    pub async fn end(mut self) -> String {
        let status = self.wait().await;
        // A process that the plugin has left behind may keep the pipes open.
        for reading in self.output.iter_mut().flatten() {
            let _ = timeout(GRACE, reading).await;
        }
        status.map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    async fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Ok(status) = timeout(GRACE, self.process.wait()).await {
            return status;
        }
        tracing::warn!("the plugin does not end after its connection was closed: killing it");
        self.process.kill().await?;
        self.process.wait().await
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.output.iter().flatten().for_each(JoinHandle::abort);
    }
}

/// Logs the output of the plugin line by line.
async fn log(mut pipe: impl AsyncRead + Unpin, label: String) {
    let mut line = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
        for &byte in &bytes[..count] {
            if byte == b'\n' || line.len() == MAX_LINE {
                show(&label, &mut line);
            }
            if byte != b'\n' {
                line.push(byte);
            }
        }
    }
    show(&label, &mut line);
}

fn show(label: &str, line: &mut Vec<u8>) {
    if !line.is_empty() {
        tracing::info!("{label}: {}", String::from_utf8_lossy(line).trim_end());
        line.clear();
    }
}
