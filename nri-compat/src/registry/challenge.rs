//! The challenges of a registry that requires credentials.

use http_auth::parser::ChallengeParser;

/// The maximum length of a header that is parsed, in bytes.
const MAX_HEADER: usize = 8 << 10;

/// A way to authenticate that a registry accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// User and password with each request.
    Basic,
    /// A token from a server, according to the
    /// [token specification](https://distribution.github.io/distribution/spec/auth/token/).
    Bearer {
        /// The URL of the server.
        realm: String,
        /// The name of the registry at the server.
        service: Option<String>,
    },
}

/// Returns the supported challenges of a `WWW-Authenticate` header, in its order. A broken header
/// yields those before the fault.
pub fn challenges(header: &str) -> Vec<Challenge> {
    if header.len() > MAX_HEADER {
        return Vec::new();
    }
    let parsed = ChallengeParser::new(header).map_while(Result::ok);
    parsed
        .filter_map(|challenge| supported(&challenge))
        .collect()
}

fn supported(challenge: &http_auth::ChallengeRef<'_>) -> Option<Challenge> {
    if challenge.scheme.eq_ignore_ascii_case("basic") {
        return Some(Challenge::Basic);
    }
    let value = |wanted: &str| {
        let mut all = challenge.params.iter();
        let (_, value) = all.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(value.to_unescaped())
    };
    let is_bearer = challenge.scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then_some(())?;
    Some(Challenge::Bearer {
        realm: value("realm")?,
        service: value("service"),
    })
}
