//! Programs that are run for their output, within limits of time and size.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::system;

/// The interval at which the end of a program is polled.
const POLL: Duration = Duration::from_millis(5);

/// A program that has ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a program with this standard input; `None` if it has not ended within the time limit, or
/// one of its outputs is still open then, in which case it is killed with all programs that it has
/// started. Of each output, `max` bytes are read.
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
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = system::in_own_group(piped).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // A program may not read it, and then says itself why it failed.
        thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = reading(child.stdout.take(), max);
    let stderr = reading(child.stderr.take(), max);
    let left = || deadline.saturating_duration_since(Instant::now());
    let ended = wait(&mut child, deadline).and_then(|status| {
        Some(Ended {
            status,
            stdout: stdout.recv_timeout(left()).ok()?,
            stderr: stderr.recv_timeout(left()).ok()?,
        })
    });
    if ended.is_none() {
        system::kill_group(&mut child);
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    /// More than a pipe holds.
    const INPUT_BYTES: usize = 4 << 20;

    fn shell(script: &str, input: &[u8]) -> Option<Ended> {
        let mut command = Command::new("/bin/sh");
        run(command.args(["-c", script]), input, LIMIT, 1 << 20).unwrap()
    }

    #[test]
    fn a_program_that_does_not_read_cannot_block() {
        let input = vec![b'x'; INPUT_BYTES];
        assert!(shell("exit 0", &input).unwrap().status.success());
        let start = Instant::now();
        assert!(shell("exec sleep 30", &input).is_none());
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_late_program_is_killed_with_those_that_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        for script in ["sleep 60 & echo $! > FILE; wait", "sleep 60 & echo $! > FILE"] {
            let script = script.replace("FILE", file.to_str().unwrap());
            assert!(shell(&script, b"").is_none());
            let pid = std::fs::read_to_string(&file).unwrap();
            let stat = format!("/proc/{}/stat", pid.trim());
            let is_running = || {
                let stat = std::fs::read_to_string(&stat).unwrap_or_default();
                // A process that nobody waits for is a zombie.
                stat.contains("(sleep)") && !stat.contains(") Z ")
            };
            let deadline = Instant::now() + Duration::from_secs(20);
            while is_running() {
                assert!(Instant::now() < deadline, "{script}");
                thread::sleep(POLL);
            }
        }
    }
}
