//! The process that keeps a sandbox alive.

use std::fs;

use super::{Machine, Pause};
use crate::runtime::event::PodFacts;

impl Machine {
    /// Finds the process of a sandbox: by the id in the event, else as the only process in the cgroup of the sandbox.
    pub(super) fn pause(&self, pod: &PodFacts) -> Pause {
        let pid = match pod.pid {
            0 => self.only_process(&pod.cgroups_path),
            pid => Some(pid),
        };
        match pid {
            None => Pause::Unknown,
            Some(pid) if self.runs(pid) => Pause::Running(pid),
            Some(pid) => Pause::Ended(pid),
        }
    }

    /// Returns true if a process exists and is neither a zombie nor dead.
    fn runs(&self, pid: u32) -> bool {
        let stat = fs::read_to_string(self.at(format!("proc/{pid}/stat"))).unwrap_or_default();
        // The name, in parentheses, may contain anything.
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| !matches!(state, 'Z' | 'X' | 'x'))
    }
}
