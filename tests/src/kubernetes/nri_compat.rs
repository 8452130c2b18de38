//! The command, run on a host from which a cluster can be reached.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::examples::nri_compat;
use crate::machine::Host;

/// The variables that name proxies, which must not be between a test and its cluster.
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

/// `nri-compat`, with all its features.
#[derive(Clone, Debug)]
pub struct NriCompat {
    program: PathBuf,
    host: Host,
    variables: Vec<(&'static str, String)>,
}

impl NriCompat {
    /// Returns the command on a host.
    ///
    /// # Panics
    ///
    /// Panics if cargo has not built it.
    #[must_use]
    pub fn new(host: Host) -> Self {
        let program = nri_compat();
        Self { program, host, variables: Vec::new() }
    }

    /// Returns the same command with environment variables.
    #[must_use]
    pub fn with_env(mut self, variables: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.variables.extend(variables);
        self
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
        let mut child = command
            .args(arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("nri-compat can be run");
        // It may end without reading its input.
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        child.wait_with_output().expect("nri-compat ends")
    }
}
