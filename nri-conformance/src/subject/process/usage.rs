//! The resources that a process uses, from `/proc`.

use std::fs;
use std::path::Path;
use std::time::Duration;

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
    pub(super) fn of(pid: u32) -> Option<Self> {
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

/// Returns the sum of the first two numbers in the `schedstat` of a thread: nanoseconds spent on a processor and in a run
/// queue. A sleeping thread adds to neither, regardless of the load of the machine.
fn wanted_by(thread: &Path) -> Option<u64> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace();
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(next()?.saturating_add(next()?))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn this_process_uses_something() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.memory > 100_000 && usage.descriptors >= 3 && usage.threads >= 1);
        assert_eq!(Usage::of(u32::MAX), None);
    }

    #[test]
    fn a_loop_wants_a_processor_all_the_time() {
        // Threads of other tests end meanwhile, so this one alone counts.
        let wanted = || Duration::from_nanos(wanted_by(Path::new("/proc/thread-self")).unwrap());
        let (start, before) = (Instant::now(), wanted());
        while start.elapsed() < Duration::from_millis(100) {
            std::hint::spin_loop();
        }
        // The numbers are updated when the thread is scheduled, at the latest with the next tick.
        assert!(wanted() - before >= Duration::from_millis(50));
    }
}
