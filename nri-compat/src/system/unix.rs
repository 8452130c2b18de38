//! Linux, macOS and their kin.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{
    FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Returns the bytes in an archive or image as a name.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Opens a file for reading; `None` for a socket, or a device without a driver. Does not wait for
/// the other end of a FIFO.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        file => file.map(Some),
    }
}

/// Returns the identity of a file, which all its names share: its device and inode.
pub(crate) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Returns the number of names that a file has.
pub(crate) fn links(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// Returns true if anybody may execute the file.
pub(crate) fn may_execute(metadata: &Metadata) -> bool {
    metadata.mode() & 0o111 != 0
}

/// Returns true if this is a FIFO.
pub(crate) fn is_pipe(metadata: &Metadata) -> bool {
    metadata.file_type().is_fifo()
}

/// Reads at an offset, regardless of earlier reads.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Lets everybody read a temporary file.
pub(crate) fn readable<'a, 'b, 'c>(
    file: &'c mut tempfile::Builder<'a, 'b>,
) -> &'c mut tempfile::Builder<'a, 'b> {
    file.permissions(Permissions::from_mode(0o644))
}

/// Returns the name of this machine.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Replaces this process by a program. Returns if that fails.
pub(crate) fn replace_process(command: &mut Command) {
    let _ = command.exec();
}

/// Puts a program that is started into a group of its own, for [`kill_group`].
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Kills a program and those that it has started, which may outlive it, but are in its group.
pub(crate) fn kill_group(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// SIGTERM and Ctrl-C, which no longer end the process by themselves.
pub(crate) struct Ending(Signals);

impl Ending {
    /// Catches them from now on.
    pub(crate) fn caught() -> io::Result<Self> {
        Signals::new([SIGTERM, SIGINT]).map(Self)
    }

    /// Waits for one of them; false if there will be none.
    pub(crate) fn wait(mut self) -> bool {
        self.0.forever().next().is_some()
    }
}

/// Completes on Ctrl-C and SIGTERM; never if these signals cannot be watched.
#[cfg(any(feature = "cluster", feature = "conformance"))]
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
