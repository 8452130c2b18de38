//! Credential plugins: programs that the kubeconfig names, and that print credentials.
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins>

use std::io::{self, IsTerminal as _, stdin};
use std::process::Stdio;
use std::time::Duration;

use jiff::Timestamp;
use kube::config::{ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout_at;

use crate::cluster::error::{ClusterError, ClusterErrorKind, excerpt};
use crate::subprocess::Group;

/// The maximum number of bytes that are read of each output.
const MAX_OUTPUT: u64 = 1 << 20;

/// The environment variable with the request to a plugin.
const VARIABLE: &str = "KUBERNETES_EXEC_INFO";

/// The credentials from a plugin.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) token: Option<String>,
    /// A certificate and its key, both as PEM.
    pub(super) certificate: Option<(String, String)>,
    /// The time at which they expire; `None` if they do not.
    pub(super) expires: Option<Timestamp>,
}

/// The kind of the document that a plugin prints.
const KIND: &str = "ExecCredential";

/// The document that a plugin prints: JSON or, because `kubectl` accepts it too, YAML.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
    expiration_timestamp: Option<Timestamp>,
}

/// Runs a plugin, and returns its credentials. A plugin without a terminal must end in time.
///
/// # Errors
///
/// Returns an error if the plugin cannot be started, fails, does not end in time, or prints
/// something else.
pub(super) async fn run(
    plugin: &ExecConfig,
    timeout: Duration,
) -> Result<Credentials, ClusterError> {
    let command = plugin.command.as_deref().unwrap_or_default();
    let interactive = is_interactive(plugin, command)?;
    let mut child = start(plugin, command, interactive)?;
    // On a terminal, the user can end the programs that the plugin has started.
    let group = child.id().filter(|_| !interactive).map(Group::of);
    let output = finish(&mut child);
    let output = if interactive {
        output.await
    } else {
        let end = tokio::time::Instant::now() + timeout;
        timeout_at(end, output)
            .await
            .map_err(|_| too_slow(command, timeout))?
    };
    drop(group);
    let output = output.map_err(|error| failed(command, "cannot be run").caused_by(error))?;
    if !output.status.success() {
        let message = format!("failed with {}{}", output.status, last_line(&output.stderr));
        return Err(failed(command, &message));
    }
    parse(&output.stdout, plugin.api_version.as_deref())
        .map_err(|reason| failed(command, &format!("{reason}{}", last_line(&output.stderr))))
}

/// Returns true if the plugin gets the terminal.
fn is_interactive(plugin: &ExecConfig, command: &str) -> Result<bool, ClusterError> {
    let has_terminal = stdin().is_terminal();
    match plugin.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !has_terminal => Err(failed(
            command,
            "needs a terminal, and standard input is not one",
        )),
        Some(ExecInteractiveMode::Always | ExecInteractiveMode::IfAvailable) | None => {
            Ok(has_terminal)
        }
    }
}

fn start(plugin: &ExecConfig, program: &str, interactive: bool) -> Result<Child, ClusterError> {
    let mut command = Command::new(program);
    command.args(plugin.args.iter().flatten());
    for variable in plugin.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            command.env(name, value);
        }
    }
    command.env(VARIABLE, exec_info(plugin, interactive));
    command.stdout(Stdio::piped()).kill_on_drop(true);
    if interactive {
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    } else {
        // In a separate process group, so that the programs that it starts can be ended with it.
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        command.process_group(0);
    }
    command.spawn().map_err(|error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let failed = failed(program, "cannot be started").caused_by(error);
        match plugin.install_hint.as_deref().filter(|_| is_missing) {
            Some(hint) => failed.with_help(hint.trim()),
            None if is_missing => failed.with_help("install it, or add its folder to PATH"),
            None => failed,
        }
    })
}

fn exec_info(plugin: &ExecConfig, interactive: bool) -> String {
    let cluster = plugin
        .cluster
        .as_ref()
        .filter(|_| plugin.provide_cluster_info);
    let mut info = json!({
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": { "interactive": interactive },
    });
    if let Some(cluster) = cluster {
        info["spec"]["cluster"] = json!(cluster);
    }
    info.to_string()
}

/// The result of a plugin.
struct Output {
    status: std::process::ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Reads the outputs to their ends, and waits for the plugin.
async fn finish(child: &mut Child) -> io::Result<Output> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = tokio::join!(read(stdout), read(stderr));
    Ok(Output {
        stdout: stdout?,
        stderr: stderr?,
        status: child.wait().await?,
    })
}

/// Reads an output to its end or to the limit; closing it ends a plugin that writes more.
async fn read(output: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        output.take(MAX_OUTPUT).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// Parses the output of a plugin.
fn parse(output: &[u8], wanted: Option<&str>) -> Result<Credentials, String> {
    let printed = document(output).ok_or("did not print an ExecCredential")?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != printed.api_version) {
        let version = excerpt(&printed.api_version);
        return Err(format!(
            "printed an ExecCredential of `{version}` instead of `{wanted}`"
        ));
    }
    let status = printed
        .status
        .ok_or("printed an ExecCredential without a status")?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let certificate = match (
        given(status.client_certificate_data),
        given(status.client_key_data),
    ) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => return Err("printed a certificate without its key".to_owned()),
        (None, Some(_)) => return Err("printed a key without its certificate".to_owned()),
    };
    let token = given(status.token);
    if token.is_none() && certificate.is_none() {
        return Err("printed an ExecCredential without a token or certificate".to_owned());
    }
    Ok(Credentials {
        token,
        certificate,
        expires: status.expiration_timestamp,
    })
}

/// Returns the document in JSON or YAML.
fn document(output: &[u8]) -> Option<ExecCredential> {
    let json = serde_json::from_slice(output).ok();
    let document: ExecCredential = json.or_else(|| serde_saphyr::from_slice(output).ok())?;
    let is_any = document.kind.is_empty() && !document.api_version.is_empty();
    (document.kind == KIND || is_any).then_some(document)
}

fn failed(command: &str, message: &str) -> ClusterError {
    let message = format!("the credential plugin `{command}` {message}");
    ClusterError::new(ClusterErrorKind::Credentials, message)
        .with_help("run `kubectl get nodes` to see whether kubectl can use the same context")
}

fn too_slow(command: &str, timeout: Duration) -> ClusterError {
    failed(command, &format!("did not end within {timeout:?}")).with_help(
        "log in first if it asks for something, or allow more time with --request-timeout",
    )
}

/// Returns the last line that a plugin wrote to standard error.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!(": {}", excerpt(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "client.authentication.k8s.io/v1";

    #[test]
    fn credentials_are_a_token_a_certificate_or_both() {
        let print = |status: &str| {
            format!(r#"{{"kind":"ExecCredential","apiVersion":"{V1}","status":{status}}}"#)
        };
        let token = parse(print(r#"{"token":"t"}"#).as_bytes(), Some(V1)).expect("a token");
        assert_eq!(token.token.as_deref(), Some("t"));
        let both = r#"{"clientCertificateData":"c","clientKeyData":"k"}"#;
        let certificate = parse(print(both).as_bytes(), Some(V1)).expect("a certificate");
        assert_eq!(certificate.certificate, Some(("c".into(), "k".into())));
    }

    #[test]
    fn yaml_is_accepted() {
        let yaml = format!(
            "# from the cloud\napiVersion: {V1}\nkind: ExecCredential\nstatus:\n  token: \"t: 1\"\n  expirationTimestamp: 2026-11-22T12:00:00Z\n  clientCertificateData: |\n    -----BEGIN\n  clientKeyData: k\n"
        );
        let given = parse(yaml.as_bytes(), Some(V1)).expect("credentials");
        assert_eq!(given.token.as_deref(), Some("t: 1"));
        let certificate = given.certificate.expect("a certificate");
        assert_eq!(certificate.0, "-----BEGIN\n");
        assert_eq!(
            given.expires.map(|time| time.to_string()).as_deref(),
            Some("2026-11-22T12:00:00Z")
        );
    }

    #[test]
    fn any_other_output_is_rejected() {
        for (output, reason) in [
            ("", "did not print"),
            ("hello", "did not print"),
            ("hello: [", "did not print"),
            (
                r#"{"kind":"Status","status":{"token":"t"}}"#,
                "did not print",
            ),
            (r#"{"apiVersion":"v0"}"#, "of `v0` instead"),
            (
                r#"{"apiVersion":"client.authentication.k8s.io/v1"}"#,
                "without a status",
            ),
            (
                r#"{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":""}}"#,
                "without a token",
            ),
            (
                r#"{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","clientKeyData":"k"}}"#,
                "without its certificate",
            ),
        ] {
            let error = parse(output.as_bytes(), Some(V1)).expect_err(output);
            assert!(error.contains(reason), "{error}");
        }
    }
}
