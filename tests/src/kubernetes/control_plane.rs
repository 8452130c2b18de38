//! etcd and the API server.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::Kubectl;
use crate::hex;
use crate::machine::Host;
use crate::peers::{self, run};
use crate::process::{Process, Stream};

/// The audit policy, which records the verb, the resource and the user of every request.
const AUDIT_POLICY: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n";

/// A user who authenticates to the API server with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The name, without spaces or commas.
    pub name: &'static str,
    /// The group, which may be empty.
    pub group: &'static str,
}

impl User {
    /// A user with all permissions.
    pub const ADMIN: Self = Self { name: "admin", group: "system:masters" };
}

/// A running API server with its etcd, on a loopback address.
#[derive(Debug)]
pub struct ControlPlane {
    api: Process,
    etcd: Process,
    address: String,
    /// The random suffix of all tokens, which is unknown to others on the machine.
    secret: String,
    host: Host,
    program: PathBuf,
    folder: TempDir,
}

impl ControlPlane {
    /// Starts both, with these users in addition to [`User::ADMIN`], and returns once the API
    /// server is ready.
    ///
    /// # Panics
    ///
    /// Panics if they cannot be built or do not start.
    #[must_use]
    pub fn start(users: &[User]) -> Self {
        Self::start_on(Host::default(), users)
    }

    /// Like [`ControlPlane::start`], on a machine.
    ///
    /// # Panics
    ///
    /// Panics like [`ControlPlane::start`].
    #[must_use]
    pub fn start_on(host: Host, users: &[User]) -> Self {
        let program = peers::kubernetes();
        let folder = tempfile::tempdir().expect("temporary folder");
        run(Command::new(&program).arg("keys").arg(folder.path()));
        let secret = secret();
        write_files(folder.path(), users, &secret);
        let (client, peer) = (address(host), address(host));
        let mut etcd = Process::spawn(
            &mut etcd(host.command(&program), folder.path(), &client, &peer),
            Stream::Error,
        );
        etcd.wait_for("ready to serve client requests", |line| {
            line.as_str().is_some_and(|line| line.contains("ready to serve client requests"))
        });
        let address = address(host);
        let mut command = api_server(host.command(&program), folder.path(), &address, &client);
        let plane = Self {
            api: Process::spawn(&mut command, Stream::Error),
            etcd,
            address,
            secret,
            host,
            program,
            folder,
        };
        plane.kubectl(User::ADMIN).until(&["get", "--raw", "/readyz"], |answer| answer == "ok");
        plane
    }

    /// Returns the temporary folder that contains all its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns `kubectl` as a user.
    ///
    /// # Panics
    ///
    /// Panics if the kubeconfig cannot be written.
    #[must_use]
    pub fn kubectl(&self, user: User) -> Kubectl {
        Kubectl::new(
            self.host,
            &self.program,
            &self.kubeconfig(user.name, &token(user.name, &self.secret)),
        )
    }

    /// Returns the address and the port of the API server.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Writes a kubeconfig with a token and returns its path. The only context has the name `test`.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be written.
    #[must_use]
    pub fn kubeconfig(&self, name: &str, token: &str) -> PathBuf {
        let path = self.folder.path().join(format!("{}.kubeconfig", name.replace(':', "-")));
        let text = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{ "name": "test", "cluster": {
                "server": format!("https://{}", self.address),
                "certificate-authority": self.folder.path().join("serving.crt"),
                "tls-server-name": "localhost",
            } }],
            "users": [{ "name": name, "user": { "token": token } }],
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": name } }],
        });
        fs::write(&path, text.to_string()).expect("temporary folder is writable");
        path
    }

    /// Returns the requests of a user that the API server has answered, oldest first.
    ///
    /// # Panics
    ///
    /// Panics if the audit log cannot be read.
    #[must_use]
    pub fn requests_of(&self, user: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("audit.log"))
            .expect("audit log is readable");
        let events = text.lines().map(|line| {
            serde_json::from_str::<Value>(line).expect("a line of the audit log is JSON")
        });
        events.filter(|event| event["user"]["username"] == user).collect()
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        for process in [&mut self.api, &mut self.etcd] {
            process.close_input();
            // The folder is removed next, so nothing may write to it.
            process.wait_within(Duration::from_secs(10));
            process.kill();
        }
    }
}

/// Returns an address on which nothing else listens: the loopback address of a separate machine, or
/// on this machine an address in a block selected by the process id, with a port that is unique in
/// this process and below those that the kernel assigns.
fn address(host: Host) -> String {
    static PORT: AtomicU16 = AtomicU16::new(20_000);
    let port = PORT.fetch_add(1, Ordering::Relaxed);
    if !host.is_this_machine() {
        return format!("127.0.0.1:{port}");
    }
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    format!("127.{}.{middle}.{low}:{port}", 64 | high)
}

/// Returns 16 random bytes in hexadecimal.
fn secret() -> String {
    let mut bytes = [0; 16];
    let mut random = fs::File::open("/dev/urandom").expect("the kernel has random numbers");
    random.read_exact(&mut bytes).expect("the kernel has random numbers");
    hex::encode(&bytes)
}

fn token(name: &str, secret: &str) -> String {
    format!("{name}-{secret}")
}

fn write_files(folder: &Path, users: &[User], secret: &str) {
    let users = users.iter().chain([&User::ADMIN]);
    let tokens: String = users
        .map(|User { name, group }| format!("{},{name},{name},\"{group}\"\n", token(name, secret)))
        .collect();
    for (name, text) in [("tokens.csv", tokens.as_str()), ("audit.yaml", AUDIT_POLICY)] {
        fs::write(folder.join(name), text).expect("temporary folder is writable");
    }
}

fn etcd(mut command: Command, folder: &Path, client: &str, peer: &str) -> Command {
    command.args(["etcd", "--unsafe-no-fsync", "--name=test"]);
    command.arg(format!("--data-dir={}", folder.join("etcd").display()));
    for flag in ["listen-client-urls", "advertise-client-urls"] {
        command.arg(format!("--{flag}=http://{client}"));
    }
    for flag in ["listen-peer-urls", "initial-advertise-peer-urls"] {
        command.arg(format!("--{flag}=http://{peer}"));
    }
    command.arg(format!("--initial-cluster=test=http://{peer}"));
    command
}

fn api_server(mut command: Command, folder: &Path, address: &str, etcd: &str) -> Command {
    let (host, port) = address.split_once(':').expect("an address has a port");
    let file = |name: &str| folder.join(name).display().to_string();
    command.args([
        "kube-apiserver",
        "--authorization-mode=Node,RBAC",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.213.78.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        // Without a controller manager, nothing creates the default service accounts of pods.
        "--disable-admission-plugins=ServiceAccount",
        "--audit-log-mode=blocking",
    ]);
    for (flag, value) in [
        ("bind-address", host.to_owned()),
        ("advertise-address", host.to_owned()),
        ("secure-port", port.to_owned()),
        ("etcd-servers", format!("http://{etcd}")),
        ("tls-cert-file", file("serving.crt")),
        ("tls-private-key-file", file("serving.key")),
        ("service-account-key-file", file("accounts.key")),
        ("service-account-signing-key-file", file("accounts.key")),
        ("token-auth-file", file("tokens.csv")),
        ("audit-policy-file", file("audit.yaml")),
        ("audit-log-path", file("audit.log")),
    ] {
        command.arg(format!("--{flag}={value}"));
    }
    command
}
