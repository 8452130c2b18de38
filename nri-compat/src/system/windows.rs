//! Windows, where files are checked that come from elsewhere. There are no plugins on it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

/// The interval at which [`Ending::wait`] looks.
const POLL: Duration = Duration::from_millis(100);

/// Returns the bytes in an archive or image as a name. What is not UTF-8 cannot be one here.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Owned(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    File::open(path).map(Some)
}

/// Returns a number that no other file has: the standard library does not tell which names belong
/// to one file, so that each counts as a file.
pub(crate) fn identity(_: &Metadata) -> (u64, u64) {
    static FILES: AtomicU64 = AtomicU64::new(0);
    (0, FILES.fetch_add(1, Ordering::Relaxed))
}

/// Returns the number of names that a file has, as far as they are known.
pub(crate) fn links(_: &Metadata) -> u64 {
    1
}

/// Returns true: files of other systems lost their permissions on the way here.
pub(crate) fn may_execute(_: &Metadata) -> bool {
    true
}

/// Returns false: a named pipe is not in the file system.
pub(crate) fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Reads at an offset.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

/// Leaves a temporary file with the permissions of its folder.
pub(crate) fn readable<'a, 'b, 'c>(
    file: &'c mut tempfile::Builder<'a, 'b>,
) -> &'c mut tempfile::Builder<'a, 'b> {
    file
}

/// Returns the name of this machine, or nothing.
pub(crate) fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Runs a program in place of this process: waits for it, and ends as it did. Returns if it cannot
/// be started.
pub(crate) fn replace_process(command: &mut Command) {
    if let Ok(status) = command.status() {
        std::process::exit(status.code().unwrap_or(1));
    }
}

/// Leaves a program in the group of this process.
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    command
}

/// Kills a program, but not those that it has started.
pub(crate) fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// Ctrl-C, which no longer ends the process by itself.
pub(crate) struct Ending(Arc<AtomicBool>);

impl Ending {
    /// Catches it from now on.
    pub(crate) fn caught() -> io::Result<Self> {
        let caught = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&caught))?;
        }
        Ok(Self(caught))
    }

    /// Waits for it.
    pub(crate) fn wait(self) -> bool {
        while !self.0.load(Ordering::Relaxed) {
            thread::sleep(POLL);
        }
        true
    }
}

/// Completes on Ctrl-C; never if it cannot be watched.
#[cfg(any(feature = "cluster", feature = "conformance"))]
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
