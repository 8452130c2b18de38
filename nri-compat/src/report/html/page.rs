//! The parts that all pages share: style, script, and the policy that permits only these.

use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// The maximum number of rows of a matrix that browsers lay out at once; in larger ones, they lay out
/// only visible rows.
pub(super) const MAX_PLAIN_ROWS: usize = 200;

/// The values of `page.html`.
pub(super) struct Page {
    /// The content security policy.
    pub(super) policy: String,
    /// The style sheet.
    pub(super) style: &'static str,
    /// The script.
    pub(super) script: &'static str,
    /// The version of this tool.
    pub(super) version: &'static str,
}

impl Page {
    pub(super) fn new() -> Self {
        Self {
            policy: policy(),
            style: STYLE,
            script: SCRIPT,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Returns the policy that forbids everything except this style sheet and this script, identified by
/// their hashes: <https://www.w3.org/TR/CSP3/#match-element-to-source-list>.
fn policy() -> String {
    let (style, script) = (source(STYLE), source(SCRIPT));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; \
         form-action 'none'"
    )
}

fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Renders the page into `out`, piece by piece.
pub(super) fn write(page: &impl Template, out: &mut dyn Write) -> io::Result<()> {
    Template::write_into(page, out)
}
