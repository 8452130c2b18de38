//! `nri-compat check PATH...`.

pub(super) mod args;
mod schedule;

use super::{cluster, images, output};
use crate::check::assess::assess;
use crate::error::Error;
use crate::exit::Exit;

pub(super) use args::Args;

use args::not_there;

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    args.check_input()?;
    args.schedule.run(|| once(args))
}

/// Runs one check.
fn once(args: &Args) -> Result<Exit, Error> {
    args.check_root()?;
    if args.cluster.is_requested() {
        return cluster::run(args);
    }
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    let mut collected = args.collect(Vec::new());
    let missing = std::mem::take(&mut collected.missing);
    let not_fetched = std::mem::take(&mut collected.not_fetched);
    let exit = args
        .answer
        .finish(assess(collected, &targets), &decisions)?;
    Ok(match exit {
        Exit::Clean if !missing.is_empty() => output::error(&not_there(&missing)),
        Exit::Clean if !not_fetched.is_empty() => output::error(&images::not_fetched(&not_fetched)),
        exit @ (Exit::Clean | Exit::CouldNotRun | Exit::Usage | Exit::Findings) => exit,
    })
}
