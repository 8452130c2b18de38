//! Authorization: the challenges of a registry that requires credentials, and the answers to them.

use http_auth::{ChallengeRef, parser::ChallengeParser};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use ureq::Body;
use ureq::http::{Response, Uri};

use super::Error;
use super::credentials::{self, Credentials};
use super::http::{self, Http, host_of};
use super::reference::Reference;
use crate::skipped::SkipKind;

/// The maximum size of the answer of a token server in bytes.
const MAX_TOKEN: u64 = 1 << 20;

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

/// A request that was refused because it needs authorization.
pub(super) struct Refused<'r> {
    pub(super) http: &'r Http,
    pub(super) image: &'r Reference,
    /// The URL of the registry that refused it.
    pub(super) url: &'r Uri,
}

impl Refused<'_> {
    /// Returns the value of an `Authorization` header that answers one of these challenges.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no credentials, or they are not sufficient.
    pub(super) fn answer(&self, challenges: &[Challenge]) -> Result<String, Error> {
        let stored = credentials::find(self.image, &self.http.environment, self.http.limits.idle)?;
        for challenge in challenges {
            if let Challenge::Bearer { realm, service } = challenge {
                return self.token(realm, service.as_deref(), stored);
            }
        }
        match stored {
            Some(Credentials::Basic(header)) if challenges.contains(&Challenge::Basic) => {
                Ok(header)
            }
            Some(_) | None => {
                let message = format!("{} answered 401 and requires credentials", self.host());
                let registry = self.image.registry();
                let help = format!("log in first, as with `docker login {registry}`");
                Err(Error::new(SkipKind::Permission, message).with_help(help))
            }
        }
    }

    fn host(&self) -> &str {
        host_of(self.url)
    }

    /// Fetches a token for pulling from the repository. The scope is not that of the challenge,
    /// because a registry could ask for more.
    fn token(
        &self,
        realm: &str,
        service: Option<&str>,
        stored: Option<Credentials>,
    ) -> Result<String, Error> {
        let broken = |why| Error::new(SkipKind::Broken, format!("{} {why}", self.host()));
        let scope = format!("repository:{}:pull", self.image.repository());
        let service = service.unwrap_or(self.host());
        let query = format!("service={}&scope={}", escaped(service), escaped(&scope));
        let sign = if realm.contains('?') { '&' } else { '?' };
        let asked = http::parse_url(&format!("{realm}{sign}{query}"));
        let (Some(server), Some(asked)) = (http::parse_url(realm), asked) else {
            return Err(broken("names a token server that is not a URL"));
        };
        if stored.is_some() {
            self.check_realm(&server)?;
        }
        let total = self.http.limits.total;
        let get = |header: Option<&str>| self.http.get(&asked, "application/json", header, total);
        let answer = match stored {
            None => get(None),
            Some(Credentials::Basic(header)) => get(Some(&header)),
            // An identity token is exchanged for an access token (OAuth 2.0).
            Some(Credentials::Identity(token)) => {
                let form = format!(
                    "{query}&grant_type=refresh_token&client_id=nri-compat&refresh_token={}",
                    escaped(&token)
                );
                self.http.post(&server, form, total)
            }
        };
        let body = self.body(&server, answer?)?;
        let token =
            token_of(&body).ok_or_else(|| broken("has a token server that sent no token"))?;
        Ok(format!("Bearer {token}"))
    }

    /// Checks that the registry may name this server for credentials: the connection to it is
    /// verified, or the user named it as insecure.
    fn check_realm(&self, server: &Uri) -> Result<(), Error> {
        let is_insecure = |url: &Uri| self.http.is_insecure(host_of(url));
        let is_verified = |url: &Uri| url.scheme_str() == Some("https") && !is_insecure(url);
        let is_own = server.authority() == self.url.authority();
        if is_own || is_verified(self.url) && is_verified(server) || is_insecure(server) {
            return Ok(());
        }
        let host = host_of(server);
        let message = format!(
            "{} names the token server {host}, which is not sent the credentials because the connection is not verified",
            self.host()
        );
        let help = format!("add --insecure {host} if you trust it");
        Err(Error::new(SkipKind::Permission, message).with_help(help))
    }

    fn body(&self, server: &Uri, answer: Response<Body>) -> Result<Vec<u8>, Error> {
        let (host, status) = (host_of(server), answer.status().as_u16());
        if status == 200 {
            return http::small(host, answer, MAX_TOKEN);
        }
        let message = format!("{host}, the token server of {}, answered {status}", self.host());
        let help = format!("check the credentials for {}", self.image.registry());
        Err(http::of_status(status, message, None).with_help(help))
    }
}

fn escaped(text: &str) -> impl std::fmt::Display {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

/// Returns the token in the answer of a token server; `None` if there is no token that can be sent
/// in a header.
pub fn token_of(answer: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct TokenAnswer {
        token: Option<String>,
        access_token: Option<String>,
    }
    let answer: TokenAnswer = serde_json::from_slice(answer).ok()?;
    let token = answer.token.filter(|token| !token.is_empty()).or(answer.access_token)?;
    let is_plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then_some(token)
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
        let (_, value) =
            challenge.params.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(value.to_unescaped())
    };
    match challenge.scheme.to_ascii_lowercase().as_str() {
        "basic" => Some(Challenge::Basic),
        "bearer" => Some(Challenge::Bearer { realm: value("realm")?, service: value("service") }),
        _ => None,
    }
}
