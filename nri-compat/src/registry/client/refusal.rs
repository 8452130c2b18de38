//! Errors for requests that a registry refused.

use std::time::Duration;

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

use crate::registry::error::Error;
use crate::registry::http::{header, small};
use crate::registry::reference::Reference;

/// The maximum size of the body of an error in bytes.
const MAX_ERROR: u64 = 64 << 10;

/// Returns an answer that has what was asked for.
///
/// # Errors
///
/// Returns an error with a remedy if the request was refused.
pub(super) fn checked(image: &Reference, answer: Response<Body>) -> Result<Response<Body>, Error> {
    let status = answer.status().as_u16();
    if status == 200 {
        return Ok(answer);
    }
    // Some servers state a date, for which the usual pause has to do.
    let pause = header(&answer, "retry-after").trim().parse().ok();
    let body = small(image.host(), answer, MAX_ERROR).unwrap_or_default();
    let message = format!(
        "{} answered {status}{}",
        image.host(),
        server_message(&body)
    );
    let pause = pause.map(Duration::from_secs);
    Err(Error::of_status(status, message, pause).with_help(help(image, status, pause)))
}

/// Returns the code and the message in the body of an error, in parentheses.
fn server_message(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |key: &str| body["errors"][0][key].as_str().unwrap_or_default();
    let both = format!("{}: {}", text("code"), text("message"));
    match crate::escape::short(both.trim_matches([':', ' '])) {
        none if none.is_empty() => none,
        some => format!(" ({some})"),
    }
}

/// Returns the next step after a refused request.
fn help(image: &Reference, status: u16, pause: Option<Duration>) -> String {
    let registry = image.registry();
    let login = format!("log in with `docker login {registry}` if it is private");
    match (status, pause) {
        (401, _) => {
            format!("the credentials are not sufficient, or the repository does not exist; {login}")
        }
        (403, _) => format!("the account is not allowed to pull it; {login}"),
        (404, _) => format!("check repository, tag and digest; {login}"),
        (429, None) => "too many requests; try again, or log in".to_owned(),
        (429, Some(pause)) => {
            format!(
                "too many requests; try again in {} s, or log in",
                pause.as_secs()
            )
        }
        (408 | 500..=599, _) => "the registry failed; try again later".to_owned(),
        _ => "check that this is an image registry".to_owned(),
    }
}
