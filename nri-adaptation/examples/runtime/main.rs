//! A small NRI runtime for trying out plugins: it sends the events of a scenario, runs an OCI
//! bundle with the adjustments of the plugins, or measures round trips.
//!
//! ```text
//! runtime --socket PATH [--plugins DIR --config DIR] [--speak VERSION] [--wait N] --scenario FILE
//! runtime --socket PATH [--wait N] --bundle DIR
//! runtime --socket PATH [--wait N] --event PostStartContainer --count 20000 [--labels 10] [--pods 100]
//! ```

mod bench;
mod bundle;
mod error;
mod event;
mod flags;
mod memory;
mod play;
mod report;
mod scenario;
mod start;
mod subject;

use std::process::ExitCode;
use std::sync::Arc;

use error::Failure;
use flags::{Flags, Task};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .init();
    match run().await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            if let Some(help) = failure.help() {
                eprintln!("help: {help}");
            }
            failure.exit_code()
        }
    }
}

async fn run() -> Result<ExitCode, Failure> {
    let Some(flags) = Flags::parse()? else {
        println!("{}", flags::HELP);
        return Ok(ExitCode::SUCCESS);
    };
    match &flags.task {
        Task::Scenario(file) => {
            let scenario = scenario::Scenario::read(file)?;
            let runtime = start::start(&flags, Arc::new(scenario.state)).await?;
            let report = play::play(&runtime, &scenario.steps).await;
            tokio::time::sleep(flags.linger).await;
            runtime.adaptation.stop().await;
            println!("{}", report.to_json());
        }
        Task::Bundle(folder) => {
            let bundle = bundle::Bundle::read(folder)?;
            let runtime = start::start(&flags, Arc::default()).await?;
            let code = bundle.run(&runtime).await;
            runtime.adaptation.stop().await;
            return code;
        }
        Task::Bench(bench) => {
            let state = Arc::new(subject::state(bench));
            let runtime = start::start(&flags, Arc::clone(&state)).await?;
            if bench.pods > 0 {
                println!("{}", bench::Synchronization::of(&state, &runtime.progress));
            }
            let figures = bench::measure(&runtime.adaptation, bench).await;
            runtime.adaptation.stop().await;
            println!("{}", figures?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
