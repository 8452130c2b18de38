//! `nri-compat check --cluster`.

pub(super) mod args;
#[cfg(feature = "cluster")]
mod run;

#[cfg(feature = "cluster")]
pub(super) use run::run;

/// Returns an error, because this build has no client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
pub(super) fn run(_: &super::check::args::Args) -> Result<crate::exit::Exit, crate::error::Error> {
    use crate::error::{Error, ErrorKind};
    let message = "--cluster: this nri-compat was built without the feature `cluster`";
    Err(Error::new(ErrorKind::Cluster, message).with_help(
        "use a release, or install it with `cargo install nri-compat --features cluster`",
    ))
}
