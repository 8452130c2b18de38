//! Credential helpers: programs that docker and podman ask for passwords.
//!
//! [The protocol](https://github.com/docker/docker-credential-helpers#development): the host on
//! standard input, JSON on standard output.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::credentials::Credentials;
use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::exchange::printable;

/// The maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 1 << 20;

/// The message of helpers that do not know a host.
const NOT_FOUND: &str = "credentials not found";

/// The user name that stands for an identity token.
const TOKEN_USER: &str = "<token>";

/// The interval at which the end of a helper is polled.
const POLL: Duration = Duration::from_millis(5);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Asks a helper for the credentials of a registry; `None` if it has none.
///
/// # Errors
///
/// Returns an error with the message of the helper if it fails, or does not answer in time.
pub(super) fn ask(
    name: &str,
    server: &str,
    (environment, limit): (&Environment, Duration),
) -> Result<Option<Credentials>, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        return Err(failed(name, "its name is not that of a program"));
    }
    let (is_success, out, err) = run(name, server, environment, limit)?;
    if is_success {
        let answer: Answer = serde_json::from_slice(&out)
            .map_err(|_| failed(name, "its answer is not the JSON of a credential helper"))?;
        return Ok(Some(credentials(answer)));
    }
    let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    if out.contains(NOT_FOUND) || err.contains(NOT_FOUND) {
        return Ok(None);
    }
    let said = if err.trim().is_empty() { out } else { err };
    Err(failed(name, &printable(&said)))
}

fn credentials(answer: Answer) -> Credentials {
    if answer.username == TOKEN_USER {
        Credentials::Identity(answer.secret)
    } else {
        Credentials::Password {
            user: answer.username,
            password: answer.secret,
        }
    }
}

fn failed(name: &str, why: &str) -> Error {
    let message = format!(
        "the credential helper docker-credential-{} failed: {why}",
        printable(name)
    );
    Error::new(ErrorKind::Configuration, message)
        .with_help("run it by hand, or remove it from the configuration of docker or podman")
}

/// Runs a helper within the time limit, and returns whether it succeeded, and its outputs.
fn run(
    name: &str,
    server: &str,
    environment: &Environment,
    limit: Duration,
) -> Result<(bool, Vec<u8>, Vec<u8>), Error> {
    let deadline = Instant::now() + limit;
    let mut child = Command::new(format!("docker-credential-{name}"))
        .arg("get")
        .envs(environment.path("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(name, &error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        // A helper that does not read says itself why it failed.
        let _ = input.write_all(server.as_bytes());
    }
    let (out, err) = (reading(child.stdout.take()), reading(child.stderr.take()));
    let outcome = wait(&mut child, deadline).and_then(|is_success| {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let out = out.recv_timeout(left(deadline)).ok()?;
        Some((is_success, out, err.recv_timeout(left(deadline)).ok()?))
    });
    if outcome.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    outcome.ok_or_else(|| failed(name, &format!("no answer within {} s", limit.as_secs_f32())))
}

/// Waits for the end of a process; `None` if the deadline passes before.
fn wait(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Reads an output in a thread, because a helper may fill one while the other is read.
fn reading(output: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            let _ = output.take(MAX_ANSWER).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
