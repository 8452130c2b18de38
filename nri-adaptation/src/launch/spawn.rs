//! Starts a plugin with its end of the connection as file descriptor 3.
//!
//! The one file of the adaptation with `unsafe` code. The protocol demands descriptor 3, and the
//! standard library passes only 0, 1 and 2. Between fork and exec the child calls dup2 and fcntl
//! and nothing else; both are async-signal-safe, so the state of the runtime's other threads does
//! not matter.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use tokio::net::UnixStream;
use tokio::process::Command;

use nri::wire::Socket;
use nri::{Error, ErrorKind, Result};

use super::{PluginFile, Process, Processes};

/// The descriptor that the plugin finds its connection at.
const SOCKET: RawFd = 3;

/// Starts a plugin. Returns our end of the connection.
///
/// # Errors
///
/// Returns [`ErrorKind::Config`] if it cannot be started.
pub(in super::super) fn spawn(
    found: &PluginFile,
    processes: &Processes,
) -> Result<(Socket, Process)> {
    let failed = |error: io::Error| {
        let message = format!("failed to launch plugin {}: {error}", found.path.display());
        Error::with_kind(ErrorKind::Config, message).with_source(error)
    };
    let (ours, theirs) = StdUnixStream::pair().map_err(failed)?;
    ours.set_nonblocking(true).map_err(failed)?;
    let stream = UnixStream::from_std(ours).and_then(Socket::new).map_err(failed)?;
    let mut command = Command::new(&found.path);
    command
        .env_clear()
        .env("NRI_PLUGIN_NAME", &found.id.name)
        .env("NRI_PLUGIN_IDX", &found.id.index)
        .env("NRI_PLUGIN_SOCKET", SOCKET.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    pass_socket(command.as_std_mut(), theirs);
    let child = command.spawn().map_err(failed)?;
    Ok((stream, Process::new(child, processes.add())))
}

/// Lets the processes that a command starts find this socket at file descriptor 3, as a plugin that
/// a runtime launches finds its connection. The environment variable `NRI_PLUGIN_SOCKET` with the
/// value `3` has to be set apart.
///
/// The socket stays open in this process until the command is dropped.
pub fn pass_socket(command: &mut std::process::Command, socket: StdUnixStream) {
    // SAFETY: the closure only makes async-signal-safe calls, see above, and reads a plain number.
    // It owns the socket, which is therefore open whenever a child is started.
    unsafe {
        command.pre_exec(move || pass(socket.as_raw_fd()));
    }
}

/// Makes a descriptor the child's descriptor 3, open across exec.
fn pass(fd: RawFd) -> io::Result<()> {
    let done = if fd == SOCKET {
        // SAFETY: changes flags of a descriptor of this process, which is single-threaded after
        // fork.
        unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }
    } else {
        // SAFETY: as above. The pair was open before, so the lowest numbers are taken, and 3 cannot
        // be the pipe through which the standard library learns that exec failed.
        unsafe { libc::dup2(fd, SOCKET) }
    };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
