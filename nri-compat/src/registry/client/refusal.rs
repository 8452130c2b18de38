//! Errors for requests that a registry refused.

use std::time::Duration;

use serde_json::Value;

use crate::registry::error::{Error, ErrorKind};
use crate::registry::location::Location;
use crate::registry::reference::Reference;

/// Returns the code and message in the body of an error.
pub(super) fn server_message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let first = body.get("errors")?.get(0)?;
    let text = |key: &str| first.get(key).and_then(Value::as_str).unwrap_or_default();
    let both = format!("{}: {}", text("code"), text("message"));
    Some(crate::escape::short(both.trim_matches([':', ' '])))
}

/// Returns the error for a refused request, with a remedy.
pub(super) fn refusal(
    url: &Location,
    image: &Reference,
    status: u16,
    detail: Option<String>,
    pause: Option<Duration>,
) -> Error {
    let detail = detail
        .filter(|detail| !detail.is_empty())
        .map(|detail| format!(" ({detail})"));
    let message = format!(
        "{} answered {status}{}",
        url.host,
        detail.unwrap_or_default()
    );
    let login = format!(
        "log in with `docker login {}` if it is private",
        image.registry()
    );
    let (kind, help) = match status {
        401 => (
            ErrorKind::Unauthorized,
            format!(
                "the credentials are not sufficient, or the repository does not exist; {login}"
            ),
        ),
        403 => (
            ErrorKind::Denied,
            format!("the account is not allowed to pull it; {login}"),
        ),
        404 => (
            ErrorKind::NotFound,
            format!("check repository, tag and digest; {login}"),
        ),
        429 => {
            let when = pause.map_or_else(String::new, |pause| format!(" in {} s", pause.as_secs()));
            (
                ErrorKind::RateLimited,
                format!("too many requests; try again{when}, or log in"),
            )
        }
        408 | 500..=599 => (
            ErrorKind::Server,
            "the registry failed; try again later".to_owned(),
        ),
        _ => (
            ErrorKind::Protocol,
            "check that this is an image registry".to_owned(),
        ),
    };
    Error::new(kind, message)
        .with_status(status)
        .with_help(help)
}
