//! Repeated checks, for pods and other places without a shell: intervals, the end on a signal, and
//! the file that reports readiness.

use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use std::{fs, io, process, thread};

use crate::cli::output;
use crate::cli::values::duration;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::system::Ending;

/// The times of checks.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct ScheduleArgs {
    /// Repeat the check until SIGTERM or Ctrl-C, which end it with exit code 0; the time between
    /// two checks is up to a tenth longer, at random, so that the nodes of a cluster do not check
    /// at the same time.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) every: Option<Duration>,
    /// File that exists from the first report until the end: see `nri-compat ready`.
    #[arg(long, value_name = "FILE", requires = "every")]
    ready_file: Option<PathBuf>,
    /// Time between the report and the end, which SIGTERM and Ctrl-C cut short; pods of a Job that
    /// avoid each other's nodes need it.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "every")]
    linger: Option<Duration>,
}

impl ScheduleArgs {
    /// Runs the check as often as requested. Only an error of the first check ends the command;
    /// later ones are printed.
    pub(super) fn run(&self, check: impl Fn() -> Result<Exit, Error>) -> Result<Exit, Error> {
        match (self.every, self.linger) {
            (Some(every), _) => self.repeat(every, check),
            (None, Some(linger)) => {
                // A Job must not count as complete if it ends before its report.
                let code = end_on_signal(Exit::CouldNotRun, None)?;
                let exit = check()?;
                code.store(exit as u8, Ordering::Relaxed);
                thread::sleep(linger);
                Ok(exit)
            }
            (None, None) => check(),
        }
    }

    /// Repeats the check until a signal ends the process.
    fn repeat(
        &self,
        every: Duration,
        check: impl Fn() -> Result<Exit, Error>,
    ) -> Result<Exit, Error> {
        let ready = self.ready_file.as_ref();
        if let Some(ready) = ready
            // A restarted container of a pod still has the file of the earlier process.
            && let Err(error) = fs::remove_file(ready)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(Error::cannot("remove", ready, ErrorKind::Output)(error));
        }
        end_on_signal(Exit::Clean, ready.cloned())?;
        check()?;
        if let Some(ready) = ready {
            fs::write(ready, "").map_err(Error::cannot_write(ready, ErrorKind::Output))?;
        }
        loop {
            thread::sleep(with_jitter(every));
            if let Err(error) = check() {
                output::error(&error);
            }
        }
    }
}

/// The part of the interval that chance adds at most.
const JITTER: f64 = 0.1;

/// Returns the interval, longer by a random part of up to a tenth.
fn with_jitter(interval: Duration) -> Duration {
    // The seeds of the standard library's hashers are random.
    let random = RandomState::new().hash_one(interval);
    let part = random as f64 / u64::MAX as f64;
    Duration::try_from_secs_f64(interval.as_secs_f64() * (1.0 + JITTER * part)).unwrap_or(interval)
}

/// Starts a thread that ends the process on SIGTERM and Ctrl-C, and removes the file that reports
/// readiness. The kernel ignores SIGTERM for the first process of a container unless the process
/// handles it. Returns the exit code, which can be changed.
fn end_on_signal(exit: Exit, ready: Option<PathBuf>) -> Result<Arc<AtomicU8>, Error> {
    let code = Arc::new(AtomicU8::new(exit as u8));
    let ending = Ending::caught().map_err(cannot_watch)?;
    let latest = Arc::clone(&code);
    let end = move || {
        if !ending.wait() {
            return;
        }
        // A report that is being written is written to its end: writers hold this lock.
        let _output = io::stdout().lock();
        // There is nobody to report a failure to.
        let _ = ready.map(fs::remove_file);
        process::exit(latest.load(Ordering::Relaxed).into())
    };
    let thread = thread::Builder::new().name("termination".to_owned());
    thread.spawn(end).map_err(cannot_watch)?;
    Ok(code)
}

fn cannot_watch(error: io::Error) -> Error {
    let message = format!("cannot handle SIGTERM: {error}");
    Error::new(ErrorKind::Session, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_differ_and_are_at_most_a_tenth_longer() {
        let hour = Duration::from_secs(3600);
        let intervals: Vec<Duration> = (0..100).map(|_| with_jitter(hour)).collect();
        for interval in &intervals {
            assert!((hour..=hour.mul_f64(1.1)).contains(interval), "{interval:?}");
        }
        let (shortest, longest) = (intervals.iter().min(), intervals.iter().max());
        assert!(shortest < longest);
    }
}
