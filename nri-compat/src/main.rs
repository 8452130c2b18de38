//! The `nri-compat` command. Everything it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Descriptors are many small allocations, and a third of a `diff` was spent in those of the C library. Without huge
/// pages (feature `no_thp`), which would cost a scan with many threads 100 MiB.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Says to `check` that this program, which carries all of the protocol, is no plugin. The layout is that of the manifest
/// that the derive of crate `nri` embeds.
#[used]
static NO_PLUGIN: [u8; 41] = *b"NRI-PLUGIN-INFO\x01\x15\0\0\0{\"tool\":\"nri-compat\"}";

fn main() -> ExitCode {
    nri_compat::cli::main().into()
}
