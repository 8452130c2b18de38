//! The command, in an empty home folder.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::api_server::{ApiServer, Generated, Request};

/// A cluster with two workloads that may be plugins.
pub(crate) const SMALL: Generated = Generated { nodes: 5, pods: 20, plugin_every: 1, padding: 0 };

/// The exit code and the output of the command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the command could not run, and that it says so with all these words.
    #[track_caller]
    pub(crate) fn fails_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word}: {self:?}");
        }
        assert!(self.stderr.contains("\nhelp: "), "no help: {self:?}");
    }
}

/// Returns a command in an empty home folder, without a kubeconfig or a proxy.
pub(crate) fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.args(["check", "--cluster", "--no-pull"]).args(arguments);
    command.current_dir(home).env("HOME", home);
    for name in ["KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
}

pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it runs");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Checks with this kubeconfig.
pub(crate) fn check(kubeconfig: &str, arguments: &[&str]) -> Output {
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("config"), kubeconfig).expect("written");
    let arguments = [&["--kubeconfig", "config"], arguments].concat();
    run(&mut command(home.path(), &arguments))
}

pub(crate) fn check_server(server: &ApiServer, arguments: &[&str]) -> Output {
    check(&server.kubeconfig(), arguments)
}

/// Returns the names of the nodes on which each workload runs a plugin.
pub(crate) fn nodes_of(report: &Value) -> Vec<(String, usize)> {
    let subjects = report["subjects"].as_array().expect("subjects");
    let nodes = |subject: &Value| subject["nodes"].as_array().map_or(0, Vec::len);
    subjects.iter().map(|one| (workload_name(one), nodes(one))).collect()
}

fn workload_name(subject: &Value) -> String {
    let workload = &subject["place"]["workload"];
    let text = |key: &str| workload[key].as_str().unwrap_or_default().to_owned();
    format!("{} {}/{}", text("kind"), text("namespace"), text("name"))
}

pub(crate) fn is(request: &Request, plural: &str) -> bool {
    request.path.ends_with(&format!("/{plural}"))
}
