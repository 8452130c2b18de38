//! `nri-compat check PATH...`.

mod args;
#[cfg(feature = "cluster")]
mod cluster;
mod cluster_args;
mod schedule;

use crate::error::Error;
use crate::exit::Exit;

pub(super) use args::Args;
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
    let collected = args.collect(Vec::new());
    args.answer.judge(collected, &targets, &decisions)
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
