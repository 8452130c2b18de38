//! The `nri-compat` command. Everything it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Descriptors are many small allocations, and a third of a `diff` was spent in those of the C library. Without huge
/// pages (feature `no_thp`), which would cost a scan with many threads 100 MiB.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    nri_compat::cli::main().into()
}
