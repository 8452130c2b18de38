//! Errors for requests that a registry refused.

use std::time::Duration;

use serde_json::Value;

use crate::registry::error::{Error, ErrorKind};
use crate::registry::location::Location;
use crate::registry::reference::Reference;

/// Returns the code and message in the body of an error.
pub(super) fn said(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let first = body.get("errors")?.get(0)?;
    let text = |key: &str| first.get(key).and_then(Value::as_str).unwrap_or_default();
    let both = format!("{}: {}", text("code"), text("message"));
    Some(crate::escape::short(both.trim_matches([':', ' '])))
}

/// Returns the error for a refused request, with what to do about it.
pub(super) fn refusal(
    url: &Location,
    image: &Reference,
    status: u16,
    said: Option<String>,
    pause: Option<Duration>,
) -> Error {
    let said = said
        .filter(|said| !said.is_empty())
        .map(|said| format!(" ({said})"));
    let message = format!("{} answered {status}{}", url.host, said.unwrap_or_default());
    let login = format!(
        "log in with `docker login {}` if it is private",
        image.registry()
    );
    let (kind, help) = match status {
        401 => (
            ErrorKind::Unauthorized,
            format!("the credentials do not suffice, or there is no such repository; {login}"),
        ),
        403 => (
            ErrorKind::Denied,
            format!("the account may not pull it; {login}"),
        ),
        404 => (
            ErrorKind::NotFound,
            format!("check repository, tag and digest; {login}"),
        ),
        429 => {
            let when = pause.map_or_else(String::new, |pause| format!(" in {} s", pause.as_secs()));
            (
                ErrorKind::RateLimited,
                format!("too many requests; try again{when}, log in, or use --cache"),
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
