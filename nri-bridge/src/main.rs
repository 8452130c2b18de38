//! The program `nri-bridge`; see `nri-bridge --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use nri::http::Endpoint;
use nri_bridge::flags::{Flags, Mode};
use nri_bridge::state::State;
use nri_bridge::{Error, install, modes, output};
use tokio::signal::unix::{SignalKind, signal};

/// Tells `nri-compat check` what this program is. The layout is that of the manifest that the
/// derive of the crate `nri` embeds.
#[used]
static NO_PLUGIN: [u8; 41] = *b"NRI-PLUGIN-INFO\x01\x15\0\0\0{\"tool\":\"nri-bridge\"}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(help) = error.help() {
                eprintln!("help: {help}");
            }
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Error> {
    let mut arguments = std::env::args_os();
    let program = PathBuf::from(arguments.next().unwrap_or_default());
    let Flags { mode, options, http } = Flags::parse(arguments)?;
    output::log(&mode);
    let state = State::default();
    if let Some(address) = http {
        let endpoint = Endpoint::bind(address).await?;
        tokio::spawn(endpoint.serve_with(state.health()));
    }
    let work = async {
        match mode {
            Mode::Print(text) => {
                print!("{text}");
                Ok(())
            }
            Mode::Install(to) => install::install(&to),
            Mode::Launched => modes::launched(&program, &options, &state).await,
            Mode::Wrap(wrapping) => modes::wrap(&wrapping, &options, &state).await,
            Mode::Listen(listening) => modes::listen(&listening, &options, &state).await,
        }
    };
    // Dropping the work ends the plugin.
    tokio::select! {
        ended = work => ended,
        () = stopped() => Ok(()),
    }
}

/// Completes on SIGTERM and Ctrl-C.
async fn stopped() {
    let (Ok(mut term), Ok(mut int)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}
