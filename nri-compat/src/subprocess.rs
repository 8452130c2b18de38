//! Programs that are run for their output, within limits of time and size.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which the end of a program is polled.
const POLL: Duration = Duration::from_millis(5);

/// A program that has ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a program with this standard input; `None` if it has not ended within the time limit, or
/// one of its outputs is still open then, in which case it is killed. Of each output, `max` bytes
/// are read.
///
/// # Errors
///
/// Returns an error if the program cannot be started.
pub(crate) fn run(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    max: u64,
) -> io::Result<Option<Ended>> {
    let deadline = Instant::now() + limit;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read says itself why it failed.
        let _ = stdin.write_all(input);
    }
    let outputs = (
        reading(child.stdout.take(), max),
        reading(child.stderr.take(), max),
    );
    let left = || deadline.saturating_duration_since(Instant::now());
    let ended = wait(&mut child, deadline).and_then(|status| {
        Some(Ended {
            status,
            stdout: outputs.0.recv_timeout(left()).ok()?,
            stderr: outputs.1.recv_timeout(left()).ok()?,
        })
    });
    if ended.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    Ok(ended)
}

/// Waits for the end of a process; `None` if the deadline passes before.
fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Reads an output in a thread, because a program may fill one while the other is read.
fn reading(output: Option<impl Read + Send + 'static>, max: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            let _ = output.take(max).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
