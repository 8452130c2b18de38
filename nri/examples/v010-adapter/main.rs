//! Runs plugins of NRI v0.1.0, which are programs that the runtime once called for each container.
//!
//! `/etc/nri/conf.json` names them, and `/opt/nri/bin` or the `PATH` has the programs:
//!
//! ```json
//! {"version": "0.1", "plugins": [{"type": "clearcfs", "conf": {"quota": 0}}]}
//! ```
//!
//! Each program is called with the argument `invoke` when a pod or container starts or stops. It
//! gets the request as JSON on standard input and prints its result as JSON, which the next program
//! gets as well. An error fails the request, except when a container stops.

mod invoke;
mod request;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use nri::cli::Cli;
use nri::prelude::*;
use request::Request;
use tracing::{debug, error};

const ABOUT: &str = "An NRI plugin that runs plugins of NRI v0.1.0.";

const HELP: &str = concat!(
    "      --config FILE   the programs to run [default: /etc/nri/conf.json]\n",
    "      --plugins DIR   where the programs are, after those of PATH [default: /opt/nri/bin]\n",
);

struct Adapter {
    config: PathBuf,
    /// The search path of the programs.
    path: OsString,
}

impl Adapter {
    /// Returns the adapter for this configuration. Programs are searched in `PATH`, then in the
    /// folder.
    fn new(config: PathBuf, plugins: PathBuf) -> nri::Result<Self> {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&inherited).chain([plugins]);
        let path = std::env::join_paths(folders).map_err(nri::Error::other)?;
        Ok(Adapter { config, path })
    }

    async fn invoke(&self, request: Request<'_>) -> nri::Result<()> {
        debug!("{} {}", request.state, request.id);
        let config = invoke::Config::read(&self.config)?;
        config.invoke(&self.path, request).await
    }
}

#[nri::plugin(name = "v010-adapter", index = "10")]
impl Adapter {
    async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        self.invoke(Request::for_pod("create", &pod)).await
    }

    async fn stop_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        self.invoke(Request::for_pod("delete", &pod)).await
    }

    async fn start_container(&self, pod: PodSandbox, container: Container) -> nri::Result<()> {
        let request = Request::for_container("create", &pod, &container);
        self.invoke(request).await
    }

    async fn stop_container(&self, pod: PodSandbox, container: Container) -> nri::Result<Updates> {
        let request = Request::for_container("delete", &pod, &container);
        if let Err(error) = self.invoke(request).await {
            error!("{}: {error}", container.full_name(&pod));
        }
        Ok(Updates::new())
    }
}

fn main() -> nri::Result<()> {
    let mut config = PathBuf::from("/etc/nri/conf.json");
    let mut plugins = PathBuf::from("/opt/nri/bin");
    let own = |name: &str, parser: &mut lexopt::Parser| {
        match name {
            "config" => config = parser.value()?.into(),
            "plugins" => plugins = parser.value()?.into(),
            _ => return Ok(false),
        }
        Ok(true)
    };
    let Some(flags) = Cli::new(ABOUT).with_help(HELP).parse_with(own)? else {
        return Ok(());
    };
    nri::block_on(flags.run(Adapter::new(config, plugins)?))
}
