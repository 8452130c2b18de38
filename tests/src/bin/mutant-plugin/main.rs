//! A plugin that keeps every statement of the contract, or breaks exactly the one that its argument
//! names. `--list` lists the arguments.
//!
//! It uses sockets and protobuf messages directly, because the stub cannot be made to break most of
//! the contract. A runtime launches it.

mod handlers;
mod mutation;
mod pods;
mod wire;

use std::env;
use std::fs::File;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;

use handlers::Plugin;
use mutation::Mutation;
use wire::{Incoming, Wire};

fn main() -> ExitCode {
    let broken = env::args().nth(1).unwrap_or_default();
    if broken == "--list" {
        println!("{}", Mutation::NAMES.join("\n"));
        return ExitCode::SUCCESS;
    }
    let Some(mutation) = Mutation::of(&broken) else {
        eprintln!("no mutation is named {broken:?}");
        return ExitCode::FAILURE;
    };
    if let Some(socket) = env::var_os("NRI_SOCKET") {
        return external(mutation, Path::new(&socket));
    }
    match connection().and_then(|socket| run(mutation, socket)) {
        Ok(()) if mutation == Mutation::RunsOnWithoutConnection => loop {
            thread::sleep(Duration::from_secs(60));
        },
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if mutation == Mutation::PanicsAtBreach => panic!("{error}"),
        Err(_) if mutation == Mutation::LoopsAtBreach => loop {
            std::hint::spin_loop();
        },
        Err(error) => {
            eprintln!("mutant-plugin: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Connects to a runtime, and again whenever the connection ends.
fn external(mutation: Mutation, socket: &Path) -> ExitCode {
    let mut kept = Vec::new();
    loop {
        let connected = UnixStream::connect(socket).map_err(|error| error.to_string());
        if mutation == Mutation::KeepsConnections {
            kept.extend((0..10).filter_map(|_| File::open("/dev/null").ok()));
        }
        let ended = connected.and_then(|connected| run(mutation, connected));
        match mutation {
            Mutation::StaysAway => thread::sleep(Duration::from_secs(600)),
            Mutation::ReconnectsAtOnce => {}
            _ => thread::sleep(Duration::from_millis(100)),
        }
        if let Err(error) = ended {
            eprintln!("mutant-plugin: {error}");
        }
    }
}

/// Serves until the runtime closes the connection.
fn run(mutation: Mutation, socket: UnixStream) -> Result<(), String> {
    let mut wire = Wire::new(socket);
    let mut plugin = Plugin::new(mutation);
    if mutation == Mutation::NeverRegisters {
        loop {
            thread::sleep(Duration::from_secs(60));
        }
    }
    register(&mut wire, mutation)?;
    while let Some(incoming) = wire.next()? {
        match incoming {
            Incoming::Request(stream, request) => {
                let waiting = wire.has_more();
                let answer = plugin.answer(&mut wire, &request, waiting)?;
                wire.answer(stream, &answer)?;
                if plugin.repeats(&request) {
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
    let number = number.parse().map_err(|_| format!("{number:?} is no descriptor"))?;
    // SAFETY: the runtime passes the descriptor to this process for this purpose, and nothing else
    // uses it.
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
