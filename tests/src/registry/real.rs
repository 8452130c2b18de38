//! The registry of the distribution project, and images pushed to it by skopeo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::images::{Image, Images, digest};
use crate::machine::Host;
use crate::peers;
use crate::process::{Process, Stream};

/// `user` with the password `password`.
const HTPASSWD: &str = "user:$2b$05$9qkQdzLO20EDwwo.Y8//1eTPnNOOFSB1ghsuIKJ8u6c6LjwtAvnLe\n";

/// The authentication that the registry requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// True if it requires user and password.
    pub login: bool,
    /// True if it uses TLS with a certificate from its own authority, for loopback and for
    /// `registry.test`.
    pub tls: bool,
}

/// A running registry on loopback, until it is dropped.
#[derive(Debug)]
pub struct RealRegistry {
    folder: TempDir,
    host: String,
    machine: Host,
    demands: Demands,
    _process: Process,
}

impl RealRegistry {
    /// Starts a registry.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be built or does not start.
    #[must_use]
    pub fn start(demands: Demands) -> Self {
        Self::start_on(Host::default(), demands)
    }

    /// Starts a registry on the loopback of a machine.
    ///
    /// # Panics
    ///
    /// Panics like [`RealRegistry::start`].
    #[must_use]
    pub fn start_on(machine: Host, demands: Demands) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = config(folder.path(), demands);
        let path = folder.path().join("config.json");
        fs::write(&path, config).expect("a temporary file");
        let mut command = machine.command(peers::distribution().join("registry"));
        command.arg("serve").arg(&path).env("OTEL_TRACES_EXPORTER", "none");
        let mut process = Process::spawn(&mut command, Stream::Error);
        let line = process.wait_for("its address", |line| {
            line.as_str().is_some_and(|line| line.contains("listening on "))
        });
        let message = line.as_str().unwrap_or_default();
        let address = message.split("listening on ").nth(1).unwrap_or_default();
        let host = address.chars().take_while(|char| *char != '"' && *char != ',').collect();
        Self { folder, host, machine, demands, _process: process }
    }

    /// Returns the host and the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the certificate of the authority.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("ca.crt")
    }

    /// Pushes an image, or all images of an index, with skopeo, and returns the reference.
    ///
    /// # Panics
    ///
    /// Panics if skopeo fails.
    #[must_use]
    pub fn push(&self, name: &str, images: &[(&str, &Image)], options: &[&str]) -> String {
        let layout = self.folder.path().join("layout");
        write_layout(&layout, images);
        let reference = self.copy(&format!("oci:{}:pushed", layout.display()), name, options);
        fs::remove_dir_all(layout).expect("a temporary folder");
        reference
    }

    /// Pushes the only image of an archive at this path on the machine of the registry with skopeo,
    /// and returns the reference.
    ///
    /// # Panics
    ///
    /// Panics if skopeo fails.
    #[must_use]
    pub fn push_archive(&self, name: &str, archive: &Path) -> String {
        self.copy(&format!("oci-archive:{}", archive.display()), name, &[])
    }

    fn copy(&self, source: &str, name: &str, options: &[&str]) -> String {
        let reference = format!("docker://{}/{name}", self.host);
        let mut command = self.machine.command("skopeo");
        command
            .args(["--insecure-policy", "copy", "--all", "--dest-tls-verify=false", "--quiet"])
            .arg("--dest-cert-dir")
            .arg(self.folder.path())
            .args(if self.demands.login { &["--dest-creds", "user:password"][..] } else { &[] })
            .args(options)
            .args([source, &reference]);
        peers::run(&mut command);
        reference
    }

    /// Logs in with skopeo, and returns its file with credentials.
    ///
    /// # Panics
    ///
    /// Panics if skopeo fails.
    #[must_use]
    pub fn login(&self) -> PathBuf {
        let path = self.folder.path().join("auth.json");
        let mut command = Command::new("skopeo");
        command
            .args(["login", "--tls-verify=false", "-u", "user", "-p", "password", "--authfile"])
            .arg(&path)
            .arg(&self.host);
        peers::run(&mut command);
        path
    }
}

fn config(folder: &Path, demands: Demands) -> String {
    let mut config = json!({
        "version": "0.1",
        "log": {"level": "info"},
        "storage": {"filesystem": {"rootdirectory": folder.join("storage")}},
        "http": {"addr": "127.0.0.1:0"},
    });
    if demands.login {
        let path = folder.join("htpasswd");
        fs::write(&path, HTPASSWD).expect("a temporary file");
        config["auth"] = json!({"htpasswd": {"realm": "test", "path": path}});
    }
    if demands.tls {
        certify(folder);
        config["http"]["tls"] = json!({
            "certificate": folder.join("server.crt.pem"),
            "key": folder.join("server.pem"),
        });
    }
    config.to_string()
}

/// Writes an authority, and the certificate of a server. Only the name `ca.crt` has a meaning in a
/// folder of certificates.
fn certify(folder: &Path) {
    let names = "subjectAltName=IP:127.0.0.1,DNS:registry.test\n";
    fs::write(folder.join("san"), names).expect("a temporary file");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    let sign = "x509 -req -CA ca.crt -CAkey ca.pem -CAcreateserial -days 2";
    for arguments in [
        format!("req -x509 {key} -days 2 -subj /CN=authority -keyout ca.pem -out ca.crt"),
        format!("req {key} -subj /CN=registry -keyout server.pem -out server.csr"),
        format!("{sign} -in server.csr -extfile san -out server.crt.pem"),
    ] {
        let mut command = Command::new("openssl");
        command.args(arguments.split(' ')).current_dir(folder);
        peers::run(&mut command);
    }
}

/// Writes an OCI layout in which the image, or an index of the images, is named `pushed`.
fn write_layout(folder: &Path, all: &[(&str, &Image)]) {
    let mut images = Images::default();
    let name = match all {
        [(_, image)] => images.add("pushed", "pushed", image),
        several => images.index("pushed", "pushed", several),
    };
    let documents = images.manifests.values().map(|(_, bytes)| bytes);
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("a temporary folder");
    for bytes in images.blobs.values().chain(documents) {
        let digest = digest(bytes);
        fs::write(blobs.join(digest.trim_start_matches("sha256:")), bytes)
            .expect("a temporary file");
    }
    let (kind, bytes) = &images.manifests[&("pushed".to_owned(), "pushed".to_owned())];
    let index = json!({
        "schemaVersion": 2,
        "manifests": [{
            "mediaType": kind,
            "digest": name,
            "size": bytes.len(),
            "annotations": {"org.opencontainers.image.ref.name": "pushed"},
        }],
    });
    fs::write(folder.join("index.json"), index.to_string()).expect("a temporary file");
    fs::write(folder.join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#)
        .expect("a temporary file");
}
