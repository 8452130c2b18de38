//! A plugin that was started: its end, and what it wrote last.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::first::first;
use nri::__private::OneLine;

/// The time that a plugin may take to end once its connection is closed.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// The time that the output of a plugin that failed may take to arrive.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// The number of bytes at the end of the output that are kept.
const MAX_OUTPUT: usize = 4096;

/// The number of lines at the end of the output that are shown, and of characters of each.
const MAX_LINES: usize = 5;
const MAX_LINE: usize = 300;

/// The plugins that were started and have not ended: each holds a receiver.
#[derive(Debug, Default)]
pub(in super::super) struct Processes(watch::Sender<()>);

impl Processes {
    pub(super) fn add(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }

    /// Waits until all of them have ended.
    pub(in super::super) async fn ended(&self) {
        self.0.closed().await;
    }
}

/// A plugin that was started. It is ended when this is dropped.
#[derive(Debug)]
pub(in super::super) struct Process {
    /// Asks for its end; dropping it does, too.
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
    output: Arc<Mutex<Vec<u8>>>,
    reading: JoinHandle<()>,
}

impl Process {
    /// Takes over a child: reads its standard error, and waits for its end. A plugin that continues
    /// as another process would otherwise stay a zombie.
    pub(super) fn new(mut child: Child, running: watch::Receiver<()>) -> Self {
        let output = Arc::new(Mutex::new(Vec::new()));
        let (stop, stopped) = oneshot::channel();
        let stderr = child.stderr.take();
        Process {
            stop,
            reading: tokio::spawn(keep_end(stderr, Arc::clone(&output))),
            ended: tokio::spawn(reap(child, stopped, running)),
            output,
        }
    }

    /// Waits for the process to end, and kills it if it does not.
    pub(in super::super) async fn end(self) {
        drop(self.stop);
        // The task does not panic.
        let _ = self.ended.await;
    }

    /// Returns the last lines that the plugin wrote to its standard error, on one line; `None` if
    /// it wrote nothing. Waits for the end of the output, but not long.
    pub(in super::super) async fn last_words(&mut self) -> Option<String> {
        if !self.reading.is_finished() {
            let _ = timeout(OUTPUT_GRACE, &mut self.reading).await;
        }
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&output);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let first = lines.len().saturating_sub(MAX_LINES);
        let shown = lines
            .iter()
            .skip(first)
            .map(|line| OneLine::new(line, MAX_LINE).to_string())
            .collect::<Vec<_>>()
            .join("; ");
        (!shown.is_empty()).then_some(shown)
    }
}

/// Waits for the end of a process, or kills it if it does not end after it was asked for.
async fn reap(mut child: Child, stopped: oneshot::Receiver<()>, _running: watch::Receiver<()>) {
    // An error means that the sender is gone, which asks for the end.
    let asked = async { drop(stopped.await) };
    if first(child.wait(), asked).await.is_none()
        && timeout(EXIT_GRACE, child.wait()).await.is_err()
        && let Err(error) = child.kill().await
    {
        tracing::warn!("failed to kill a plugin: {error}");
    }
}

/// Reads the output of a plugin to its end, and keeps the last part.
async fn keep_end(stderr: Option<ChildStderr>, output: Arc<Mutex<Vec<u8>>>) {
    let Some(mut stderr) = stderr else { return };
    let mut part = [0; MAX_OUTPUT];
    while let Ok(size @ 1..) = stderr.read(&mut part).await {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        output.extend_from_slice(&part[..size]);
        let excess = output.len().saturating_sub(MAX_OUTPUT);
        output.drain(..excess);
    }
}
