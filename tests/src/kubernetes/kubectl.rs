//! `kubectl` and `helm`, as one user.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::machine::Host;
use crate::peers;

/// The time limit for everything that a cluster is expected to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// The interval between requests.
const INTERVAL: Duration = Duration::from_millis(200);

/// `kubectl` with a kubeconfig.
#[derive(Clone, Debug)]
pub struct Kubectl {
    host: Host,
    program: PathBuf,
    kubeconfig: PathBuf,
}

impl Kubectl {
    /// Returns `kubectl` of the program with a kubeconfig.
    #[must_use]
    pub(super) fn new(host: Host, program: &Path, kubeconfig: &Path) -> Self {
        Self { host, program: program.to_owned(), kubeconfig: kubeconfig.to_owned() }
    }

    /// Returns the path of the kubeconfig.
    #[must_use]
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Runs it to its end and returns its output.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    pub fn run(&self, arguments: &[&str]) -> String {
        text(arguments, self.output(arguments, ""))
    }

    /// Like [`Kubectl::run`], with objects on standard input.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    pub fn send(&self, arguments: &[&str], objects: &[Value]) -> String {
        let list = serde_json::json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        self.feed(&[arguments, &["-f", "-"]].concat(), &list.to_string())
    }

    /// Like [`Kubectl::run`], with a text on standard input.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    pub fn feed(&self, arguments: &[&str], input: &str) -> String {
        text(arguments, self.output(arguments, input))
    }

    /// Returns the object or the list that `kubectl get` finds.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    #[must_use]
    pub fn get(&self, arguments: &[&str]) -> Value {
        let text = self.run(&[&["get", "--output=json"], arguments].concat());
        serde_json::from_str(&text).expect("kubectl prints JSON")
    }

    /// Repeats it until it prints the expected output, and returns that.
    ///
    /// # Panics
    ///
    /// Panics with its last output if that does not happen in time.
    pub fn until(&self, arguments: &[&str], expected: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let output = self.output(arguments, "");
            let answer = String::from_utf8_lossy(&output.stdout).into_owned();
            if expected(&answer) {
                return answer;
            }
            assert!(
                Instant::now() < deadline,
                "kubectl {arguments:?} still prints:\n{answer}{}",
                String::from_utf8_lossy(&output.stderr)
            );
            thread::sleep(INTERVAL);
        }
    }

    /// Runs `helm` with the same kubeconfig to its end, and returns its output.
    ///
    /// # Panics
    ///
    /// Panics if it fails.
    pub fn helm(&self, arguments: &[&str]) -> String {
        let mut helm = self.host.command(peers::folder("helm").join("helm"));
        helm.args(arguments).arg("--kubeconfig").arg(&self.kubeconfig).env("HOME", self.home());
        peers::run(&mut helm)
    }

    /// Returns the folder for caches.
    fn home(&self) -> &Path {
        self.kubeconfig.parent().expect("a file is in a folder")
    }

    fn output(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .host
            .command(&self.program)
            .arg("kubectl")
            .arg("--kubeconfig")
            .arg(&self.kubeconfig)
            .args(["--request-timeout=30s"])
            .args(arguments)
            // Its cache of the resources that the server offers.
            .env("HOME", self.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl can be run");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(input.as_bytes()).expect("kubectl reads its input");
        drop(stdin);
        child.wait_with_output().expect("kubectl ends")
    }
}

fn text(arguments: &[&str], output: Output) -> String {
    assert!(
        output.status.success(),
        "kubectl {arguments:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
