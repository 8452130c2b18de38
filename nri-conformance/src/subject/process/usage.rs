//! The resources that a process uses, from `/proc`.

use std::fs;
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
    /// Processor time used so far, in user and kernel mode.
    pub cpu: Duration,
}

impl Usage {
    /// Reads what `/proc` says of a process; `None` if it is gone.
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
            cpu: cpu(pid)?,
        })
    }
}

/// Returns the processor time from fields 14 and 15 of `/proc/PID/stat`, in ticks of 10 ms (`USER_HZ`, 100 on Linux).
fn cpu(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in parentheses, may contain spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_something() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.memory > 100_000 && usage.descriptors >= 3 && usage.threads >= 1);
        assert_eq!(Usage::of(u32::MAX), None);
    }
}
