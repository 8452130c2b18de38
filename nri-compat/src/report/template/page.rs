//! What all HTML pages share: style, script, and the policy that permits only these.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Environment, Value, context};
use sha2::{Digest as _, Sha256};

use crate::book;

const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// Adds the values to an environment.
pub(super) fn add(environment: &mut Environment<'_>) {
    let tool = context! {
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        version => env!("CARGO_PKG_VERSION"),
        verdicts => book::VERDICTS,
    };
    environment.add_global("tool", tool);
}

/// Returns the policy that forbids everything except this style sheet and this script, identified by
/// their hashes: <https://www.w3.org/TR/CSP3/#match-element-to-source-list>.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
