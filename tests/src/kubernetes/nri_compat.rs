//! The command, run where a cluster is reached.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::Host;
use crate::peers::{run, target_folder};

/// The variables by which a proxy is found, which is not between a test and its cluster.
const PROXIES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// `nri-compat`, built with its default features.
#[derive(Clone, Debug)]
pub struct NriCompat {
    program: PathBuf,
    host: Host,
}

impl NriCompat {
    /// Builds it unless that is done, to be run on a host.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built.
    #[must_use]
    pub fn build(host: Host) -> Self {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "-p", "nri-compat"]);
        // The build scripts of dependencies run again if these, which cargo sets for tests, change.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["CARGO_MANIFEST_", "CARGO_PKG_"]
                .iter()
                .any(|set| text.starts_with(set))
            {
                cargo.env_remove(&name);
            }
        }
        run(cargo.current_dir(env!("CARGO_MANIFEST_DIR")));
        let program = target_folder().join("debug/nri-compat");
        Self {
            program: program.canonicalize().expect("cargo made it"),
            host,
        }
    }

    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Runs it with a text on standard input.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be run.
    #[must_use]
    pub fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.host.command(&self.program);
        for proxy in PROXIES {
            command.env_remove(proxy);
        }
        let command = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("nri-compat can be run");
        // It may end without reading.
        let _ = child
            .stdin
            .take()
            .expect("piped")
            .write_all(input.as_bytes());
        child.wait_with_output().expect("nri-compat ends")
    }
}
