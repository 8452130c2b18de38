//! The `nri-compat` command. Everything it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Tells `check` that this program, which contains the whole protocol, is not a plugin. The layout
/// is that of the manifest that the derive of the crate `nri` embeds.
#[used]
static NO_PLUGIN: [u8; 41] = *b"NRI-PLUGIN-INFO\x01\x15\0\0\0{\"tool\":\"nri-compat\"}";

fn main() -> ExitCode {
    nri_compat::main().into()
}
