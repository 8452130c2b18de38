//! Credential helpers: programs from which Docker and Podman obtain passwords.
//!
//! [The protocol](https://github.com/docker/docker-credential-helpers#development): the host on
//! standard input, JSON on standard output.

use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::secret::Credentials;
use crate::subprocess;

/// The maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 1 << 20;

/// The message of a helper that does not know a host.
const NOT_FOUND: &str = "credentials not found";

/// The user name that stands for an identity token.
const TOKEN_USER: &str = "<token>";

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
        return Err(failed(name, "its name is not a valid program name"));
    }
    let mut helper = Command::new(format!("docker-credential-{name}"));
    let path = environment.path("PATH").map(|path| ("PATH", path));
    helper.arg("get").envs(path);
    let ended = subprocess::run(&mut helper, server.as_bytes(), limit, MAX_ANSWER)
        .map_err(|error| failed(name, &error.to_string()))?;
    let ended = ended
        .ok_or_else(|| failed(name, &format!("no answer within {} s", limit.as_secs_f32())))?;
    if ended.status.success() {
        let answer: Answer = serde_json::from_slice(&ended.stdout)
            .map_err(|_| failed(name, "its answer is not the JSON of a credential helper"))?;
        return Ok(Some(credentials(answer)));
    }
    let [out, err] = [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text));
    if out.contains(NOT_FOUND) || err.contains(NOT_FOUND) {
        return Ok(None);
    }
    let message = if err.trim().is_empty() { out } else { err };
    Err(failed(name, &crate::escape::short(&message)))
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
        crate::escape::short(name)
    );
    Error::new(ErrorKind::Configuration, message)
        .with_help("run it by hand, or remove it from the configuration of Docker or Podman")
}
