//! The `nri-compat` command. Everything it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    nri_compat::cli::main().into()
}
