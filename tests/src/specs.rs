//! Random OCI specs, and random adjustments for them. Most values are defined by the runtime
//! specification, and there are few names, so that adjustments often concern entries of the spec.

mod adjustment;
mod sources;
mod spec;

use fastrand::Rng;

use crate::adjustments::{Adjustments, Density};

/// A source of random specs and adjustments.
pub struct Specs {
    rng: Rng,
    density: Density,
    adjustments: Adjustments,
}

impl Specs {
    /// Returns the source for a seed. It always generates the same values on one machine, where the
    /// sources of mounts are mount points.
    #[must_use]
    pub fn new(seed: u64, density: Density) -> Self {
        Specs { rng: Rng::with_seed(seed), density, adjustments: Adjustments::new(seed, density) }
    }

    /// Returns true with the probability that a field is set.
    fn some(&mut self) -> bool {
        self.rng.f64() < self.density.field
    }

    /// Returns true with a probability of one in `one_in`.
    fn rarely(&mut self, one_in: usize) -> bool {
        self.rng.usize(..one_in) == 0
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.rng.usize(..choices.len())]
    }

    fn name(&mut self) -> String {
        format!("/name/{}", self.rng.usize(..self.density.names))
    }

    fn text(&mut self) -> String {
        format!("text {}", self.rng.u8(..))
    }

    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut list = Vec::new();
        while list.len() < 6 && self.some() {
            list.push(make(self));
        }
        list
    }
}

const DEVICE_TYPES: [&str; 4] = ["b", "c", "p", "u"];
const RULE_TYPES: [&str; 4] = ["a", "b", "c", ""];
const NAMESPACES: [&str; 7] = ["cgroup", "ipc", "mount", "network", "pid", "user", "uts"];
const RLIMITS: [&str; 6] =
    ["RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_MEMLOCK", "RLIMIT_NOFILE", "RLIMIT_NPROC"];
const ACTIONS: [&str; 9] = [
    "SCMP_ACT_KILL",
    "SCMP_ACT_KILL_PROCESS",
    "SCMP_ACT_KILL_THREAD",
    "SCMP_ACT_TRAP",
    "SCMP_ACT_ERRNO",
    "SCMP_ACT_TRACE",
    "SCMP_ACT_ALLOW",
    "SCMP_ACT_LOG",
    "SCMP_ACT_NOTIFY",
];
const ARCHITECTURES: [&str; 23] = [
    "SCMP_ARCH_X86",
    "SCMP_ARCH_X86_64",
    "SCMP_ARCH_X32",
    "SCMP_ARCH_ARM",
    "SCMP_ARCH_AARCH64",
    "SCMP_ARCH_LOONGARCH64",
    "SCMP_ARCH_M68K",
    "SCMP_ARCH_MIPS",
    "SCMP_ARCH_MIPS64",
    "SCMP_ARCH_MIPS64N32",
    "SCMP_ARCH_MIPSEL",
    "SCMP_ARCH_MIPSEL64",
    "SCMP_ARCH_MIPSEL64N32",
    "SCMP_ARCH_PPC",
    "SCMP_ARCH_PPC64",
    "SCMP_ARCH_PPC64LE",
    "SCMP_ARCH_S390",
    "SCMP_ARCH_S390X",
    "SCMP_ARCH_SH",
    "SCMP_ARCH_SHEB",
    "SCMP_ARCH_PARISC",
    "SCMP_ARCH_PARISC64",
    "SCMP_ARCH_RISCV64",
];
const SECCOMP_FLAGS: [&str; 4] = [
    "SECCOMP_FILTER_FLAG_TSYNC",
    "SECCOMP_FILTER_FLAG_LOG",
    "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
    "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV",
];
const OPERATORS: [&str; 7] = [
    "SCMP_CMP_NE",
    "SCMP_CMP_LT",
    "SCMP_CMP_LE",
    "SCMP_CMP_EQ",
    "SCMP_CMP_GE",
    "SCMP_CMP_GT",
    "SCMP_CMP_MASKED_EQ",
];
const PAGE_SIZES: [&str; 4] = ["64KB", "2MB", "32MB", "1GB"];
