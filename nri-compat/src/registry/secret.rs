//! Users, passwords and tokens.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The credentials for a registry.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credentials {
    Password {
        user: String,
        password: String,
    },
    /// A token that a token server exchanges for others.
    Identity(String),
}

impl fmt::Debug for Credentials {
    /// Writes no secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Password { .. } => "Password",
            Self::Identity(_) => "Identity",
        })
    }
}

impl Credentials {
    /// Returns the value of an `Authorization` header with user and password.
    pub(super) fn basic(user: &str, password: &str) -> String {
        format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
    }
}
