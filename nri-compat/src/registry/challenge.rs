//! The challenges of a registry that requires credentials.

use http_auth::{ChallengeRef, parser::ChallengeParser};

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
    parsed.filter_map(|one| supported(&one)).collect()
}

fn supported(challenge: &ChallengeRef<'_>) -> Option<Challenge> {
    let value = |wanted: &str| {
        let mut all = challenge.params.iter();
        let (_, value) = all.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(value.to_unescaped())
    };
    match challenge.scheme.to_ascii_lowercase().as_str() {
        "basic" => Some(Challenge::Basic),
        "bearer" => Some(Challenge::Bearer {
            realm: value("realm")?,
            service: value("service"),
        }),
        _ => None,
    }
}
