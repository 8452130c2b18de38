//! The oldest supported release, of `protocol = "…"`.

use quote::ToTokens;
use syn::LitStr;

use crate::diagnostics::Diagnostics;
use crate::release;
use crate::table::Rpc;

/// The oldest supported release.
pub(crate) struct Protocol {
    pub(crate) written: LitStr,
    pub(crate) release: &'static str,
}

impl Protocol {
    /// Returns the error for a handler whose event is newer than the oldest supported protocol.
    pub(crate) fn error_if_newer(&self, rpc: &Rpc) -> Option<(String, String)> {
        let since = rpc
            .event_since
            .filter(|since| release::version(since) > release::version(self.release))?;
        let minor = release::minor(since);
        let written = self.written.to_token_stream();
        let fact = format!(
            "`{}` handles an event that was added in NRI {since}, newer than `protocol = {written}`",
            rpc.name
        );
        Some((
            fact,
            format!(
                "remove the handler, or write `protocol = \"{minor}\"` if older runtimes need no \
                     support"
            ),
        ))
    }
}

/// Reads a release; reports one that is unknown.
pub(crate) fn read(written: &LitStr, diagnostics: &mut Diagnostics) -> Option<Protocol> {
    let Some(release) = release::resolve(&written.value()) else {
        let (oldest, newest) = release::range();
        let fact = format!(
            "{} is not a known release of NRI",
            written.to_token_stream()
        );
        diagnostics.error(
            written,
            fact,
            format!("name one from \"{oldest}\" to \"{newest}\""),
        );
        return None;
    };
    Some(Protocol {
        written: written.clone(),
        release,
    })
}
