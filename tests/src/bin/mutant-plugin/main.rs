//! A plugin that keeps every statement of the contract, or breaks exactly the one that its argument names.
//!
//! It is written directly on sockets and protobuf messages, without the stub: the stub cannot be made to break most of
//! the contract. A runtime launches it.

mod handlers;
mod mutation;
mod pods;
mod wire;

use std::env;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use nri::api::RegisterPluginRequest;
use prost::Message as _;

use handlers::Plugin;
use mutation::Mutation;
use wire::{Incoming, Wire};

fn main() -> ExitCode {
    let broken = env::args().nth(1).unwrap_or_default();
    let Some(mutation) = Mutation::of(&broken) else {
        eprintln!("no mutation is named {broken:?}");
        return ExitCode::FAILURE;
    };
    match run(mutation) {
        Ok(()) if mutation == Mutation::RunsOnWithoutConnection => loop {
            thread::sleep(Duration::from_secs(60));
        },
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if mutation == Mutation::PanicsAtBreach => panic!("{error}"),
        Err(error) => {
            eprintln!("mutant-plugin: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until the runtime closes the connection.
fn run(mutation: Mutation) -> Result<(), String> {
    let mut wire = Wire::new(connection()?);
    let mut plugin = Plugin::new(mutation);
    register(&mut wire, mutation)?;
    while let Some(incoming) = wire.next()? {
        match incoming {
            Incoming::Request(stream, request) => {
                let waiting = wire.has_more();
                let answer = plugin.answer(&mut wire, &request, waiting)?;
                wire.answer(stream, &answer)?;
                if mutation == Mutation::AnswersTwice && request.method == "PostStartContainer" {
                    wire.answer(stream, &answer)?;
                }
            }
            Incoming::Malformed(stream, message) => {
                if mutation == Mutation::PanicsAtBreach {
                    panic!("{message}");
                }
                eprintln!("mutant-plugin: {message}");
                wire.answer(stream, &Err((3, message)))?;
            }
            Incoming::Answer(Ok(())) => {}
            Incoming::Answer(Err(message)) => return Err(message),
        }
    }
    Ok(())
}

/// Returns the connection that the runtime passes.
#[allow(unsafe_code)]
fn connection() -> Result<UnixStream, String> {
    let number = env::var("NRI_PLUGIN_SOCKET").map_err(|error| error.to_string())?;
    let number = number
        .parse()
        .map_err(|_| format!("{number:?} is no descriptor"))?;
    // SAFETY: the runtime passes the descriptor to this process for this purpose only, and nothing else here uses it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    Ok(UnixStream::from(descriptor))
}

fn register(wire: &mut Wire, mutation: Mutation) -> Result<(), String> {
    let index = match mutation {
        Mutation::IndexOfOneDigit => "7",
        _ => "10",
    };
    let name = match mutation {
        Mutation::NameWithSpace => "a mutant",
        _ => "mutant",
    };
    let request = RegisterPluginRequest {
        plugin_name: name.to_owned(),
        plugin_idx: index.to_owned(),
        nri_version: "v0.12.5".to_owned(),
    };
    wire.call("RegisterPlugin", request.encode_to_vec())
}
