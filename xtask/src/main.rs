//! `cargo run -p xtask -- generate | generate --check | import`
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::parse(std::env::args_os()).and_then(cli::run) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit().into()
        }
    }
}
