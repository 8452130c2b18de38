//! `nri-compat check PATH...`.

mod args;
#[cfg(feature = "cluster")]
mod cluster;
mod cluster_args;
mod schedule;

use super::{images, output};
use crate::check::assess::assess;
use crate::error::Error;
use crate::exit::Exit;

pub(super) use args::{Args, not_there};
#[cfg(feature = "cluster")]
use cluster::run as check_cluster;

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    args.check_input()?;
    args.schedule.run(|| once(args))
}

/// Runs one check.
fn once(args: &Args) -> Result<Exit, Error> {
    args.check_root()?;
    if args.cluster.is_requested() {
        return check_cluster(args);
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

/// Returns an error, because this build has no client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
fn check_cluster(_: &Args) -> Result<Exit, Error> {
    let message = "--cluster: this nri-compat was built without the feature `cluster`";
    Err(
        Error::new(crate::error::ErrorKind::Cluster, message).with_help(
            "use a release, or install it with `cargo install nri-compat --features cluster`",
        ),
    )
}
