//! A peer as a child process that reads commands and writes lines. It is ended when dropped.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The time limit for everything that a peer is expected to do.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The stream of a process with the relevant lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; a line that is JSON becomes that value, any other a string.
    Output,
    /// Standard error; every line becomes a string.
    Error,
}

/// A running process whose lines are read as they come.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    pending: VecDeque<Value>,
    aside: Arc<Mutex<String>>,
    what: String,
}

impl Process {
    /// Starts a command and reads lines from one of its streams; the other is kept for messages.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started.
    #[must_use]
    pub fn spawn(command: &mut Command, stream: Stream) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot run {:?}: {e}", command.get_program()));
        let output: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("piped"));
        let error: Box<dyn Read + Send> = Box::new(child.stderr.take().expect("piped"));
        let (lines, other) = match stream {
            Stream::Output => (read_lines(output, parse), error),
            Stream::Error => (read_lines(error, Value::String), output),
        };
        Self {
            input: child.stdin.take(),
            child,
            lines,
            pending: VecDeque::new(),
            aside: collect(other),
            what: command.get_program().to_string_lossy().into_owned(),
        }
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to standard input.
    ///
    /// # Panics
    ///
    /// Panics if the process does not read it.
    pub fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("standard input is open");
        let written = writeln!(input, "{line}");
        assert!(written.is_ok(), "{}", self.describe("does not take input"));
    }

    /// Waits for a line that satisfies the condition and removes it from the queue; earlier lines
    /// remain there.
    ///
    /// # Panics
    ///
    /// Panics if the process ends, or if [`PATIENCE`] passes, without such a line.
    pub fn wait_for(&mut self, what: &str, condition: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.pending.iter().position(&condition) {
            return self.pending.remove(found).expect("found just now");
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if condition(&line) => return line,
                Ok(line) => self.pending.push_back(line),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("{}", self.describe(&format!("did not tell of {what} in time")))
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("{}", self.describe(&format!("ended without telling of {what}")))
                }
            }
        }
    }

    /// Removes and returns all lines so far that satisfy the condition.
    pub fn take_all(&mut self, condition: impl Fn(&Value) -> bool) -> Vec<Value> {
        self.pending.extend(self.lines.try_iter());
        let (taken, left) = self.pending.drain(..).partition(|line| condition(line));
        self.pending = left;
        Vec::from(taken)
    }

    /// Returns the text that the process has written to its other stream so far.
    #[must_use]
    pub fn aside(&self) -> String {
        self.aside.lock().map(|text| text.clone()).unwrap_or_default()
    }

    /// Asks the process to end (SIGTERM).
    ///
    /// # Panics
    ///
    /// Panics if it cannot be asked.
    pub fn terminate(&self) {
        crate::peers::run(Command::new("kill").args(["-TERM", &self.id().to_string()]));
    }

    /// Ends the process at once (SIGKILL).
    pub fn kill(&mut self) {
        // An error means that it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the process to end on its own, and returns its exit code; `None` if a signal ended
    /// it.
    ///
    /// # Panics
    ///
    /// Panics if it does not within [`PATIENCE`].
    pub fn wait(&mut self) -> Option<i32> {
        let ended = self.wait_within(PATIENCE);
        let code = ended.unwrap_or_else(|| panic!("{}", self.describe("does not end")));
        self.wait_for_aside();
        code
    }

    /// Waits until everything that the ended process wrote to its other stream has been read. The
    /// wait is bounded, because children that outlive the process may keep the stream open.
    fn wait_for_aside(&self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        // The thread that reads holds the other reference.
        while Arc::strong_count(&self.aside) > 1 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Closes standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Like [`Process::wait`], but gives up after a time.
    pub fn wait_within(&mut self, patience: Duration) -> Option<Option<i32>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.code()),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }

    fn describe(&self, fault: &str) -> String {
        let pending: Vec<String> = self.pending.iter().map(Value::to_string).collect();
        format!("{} {fault}\nlines:\n{}\naside:\n{}", self.what, pending.join("\n"), self.aside())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close_input();
        self.kill();
    }
}

fn parse(line: String) -> Value {
    serde_json::from_str(&line).unwrap_or(Value::String(line))
}

fn read_lines(
    stream: impl Read + Send + 'static,
    value_of: fn(String) -> Value,
) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(value_of(line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Keeps the first MiB. The rest is read and discarded, so that the process does not block.
fn collect(stream: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    const LIMIT: usize = 1 << 20;
    let text = Arc::new(Mutex::new(String::new()));
    let shared = Arc::clone(&text);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if let Ok(mut kept) = shared.lock()
                && kept.len() < LIMIT
            {
                kept.push_str(&line);
                kept.push('\n');
            }
        }
    });
    text
}
