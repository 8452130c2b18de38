//! The `nri-compat` command. Everything it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Descriptors are many small allocations, and a third of a `diff` was spent in those of the C
/// library. Huge pages are disabled (feature `no_thp`), because they would cost a scan with many
/// threads 100 MiB.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Tells `check` that this program, which contains the whole protocol, is not a plugin. The layout
/// is that of the manifest that the derive of the crate `nri` embeds.
#[used]
static NO_PLUGIN: [u8; 41] = *b"NRI-PLUGIN-INFO\x01\x15\0\0\0{\"tool\":\"nri-compat\"}";

fn main() -> ExitCode {
    nri_compat::cli::main().into()
}
