//! The memory of this process.

/// A line of `/proc/self/status`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resident {
    /// The current resident memory.
    Now,
    /// The peak resident memory.
    Peak,
}

impl Resident {
    /// Returns the size in KiB, or 0 on a system that does not show it.
    pub(crate) fn kib(self) -> u64 {
        let field = match self {
            Self::Now => "VmRSS:",
            Self::Peak => "VmHWM:",
        };
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        status
            .lines()
            .find_map(|line| line.strip_prefix(field)?.split_whitespace().next())
            .and_then(|size| size.parse().ok())
            .unwrap_or(0)
    }
}
