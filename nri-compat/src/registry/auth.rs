//! Authorization: answers to the challenges of registries, cached for each repository.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::agents::Agents;
use super::challenge::Challenge;
use super::credentials;
use super::error::{Error, ErrorKind};
use super::exchange::{self, Call};
use super::limits::Limits;
use super::location::{Location, escaped};
use super::reference::Reference;
use super::secret::Credentials;

/// The maximum size of the answer of a token server in bytes.
const MAX_TOKEN: u64 = 1 << 20;

/// The lifetime of a token whose server does not state one, according to the token specification.
const DEFAULT_LIFE: Duration = Duration::from_secs(60);

/// The time before its expiry at which a token is replaced.
const MARGIN: Duration = Duration::from_secs(5);

/// The maximum lifetime of a token in seconds, whatever its server states.
const MAX_LIFE: u64 = 24 * 3600;

/// The values of `Authorization` headers, by host and repository.
#[derive(Default)]
pub(super) struct Auth {
    slots: Mutex<HashMap<(String, String), Slot>>,
}

type Slot = Arc<Mutex<Option<Grant>>>;

/// The value of an `Authorization` header.
struct Grant {
    header: String,
    /// The time at which it expires, for tokens.
    end: Option<Instant>,
}

/// A request that was refused.
pub(super) struct Refused<'r> {
    pub(super) agents: &'r Agents,
    pub(super) limits: &'r Limits,
    pub(super) image: &'r Reference,
    /// The URL of the registry that refused it.
    pub(super) url: &'r Location,
    /// The value of the `Authorization` header of the request.
    pub(super) sent: Option<&'r str>,
}

impl Auth {
    /// Returns the header that the registry accepted before, unless it has expired.
    pub(super) fn accepted(&self, host: &str, repository: &str) -> Option<String> {
        let slot = self.slot(host, repository);
        let grant = lock(&slot);
        let valid = grant
            .as_ref()
            .filter(|grant| grant.end.is_none_or(|end| Instant::now() < end));
        valid.map(|grant| grant.header.clone())
    }

    /// Returns the header that answers a challenge. Threads that need the same header wait for the
    /// first of them.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no credentials, or they are not sufficient.
    pub(super) fn answer(&self, refused: &Refused<'_>, all: &[Challenge]) -> Result<String, Error> {
        let slot = self.slot(&refused.url.host, refused.image.repository());
        let mut grant = lock(&slot);
        if let Some(newer) = grant
            .as_ref()
            .filter(|grant| refused.sent != Some(&grant.header))
        {
            return Ok(newer.header.clone());
        }
        let new = refused.grant(all)?;
        let header = new.header.clone();
        *grant = Some(new);
        Ok(header)
    }

    fn slot(&self, host: &str, repository: &str) -> Slot {
        let key = (host.to_owned(), repository.to_owned());
        Arc::clone(lock(&self.slots).entry(key).or_default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Refused<'_> {
    fn grant(&self, all: &[Challenge]) -> Result<Grant, Error> {
        let stored = credentials::find(
            &self.url.host,
            self.image.repository(),
            &self.agents.environment,
            self.limits.helper,
        )?;
        let bearer = all.iter().find_map(|challenge| match challenge {
            Challenge::Bearer { realm, service, .. } => Some((realm, service.as_deref())),
            Challenge::Basic => None,
        });
        match (bearer, stored) {
            (Some((realm, service)), stored) => self.token(realm, service, stored),
            (None, Some(Credentials::Password { user, password }))
                if all.contains(&Challenge::Basic) =>
            {
                Ok(Grant {
                    header: Credentials::basic(&user, &password),
                    end: None,
                })
            }
            (None, _) if all.is_empty() => {
                let message = format!(
                    "{} answered 401 without a supported challenge",
                    self.url.host
                );
                Err(Error::new(ErrorKind::Unauthorized, message).with_status(401))
            }
            (None, _) => Err(self.wants_login()),
        }
    }

    fn wants_login(&self) -> Error {
        let host = &self.url.host;
        let message = format!("{host} answered 401 and requires credentials");
        Error::new(ErrorKind::Unauthorized, message)
            .with_status(401)
            .with_help(format!(
                "log in first, as with `docker login {}`",
                self.image.registry()
            ))
    }

    /// Fetches a token for pulling from the repository. The scope is not that of the challenge, because
    /// a registry could ask for more.
    fn token(
        &self,
        realm: &str,
        service: Option<&str>,
        stored: Option<Credentials>,
    ) -> Result<Grant, Error> {
        let realm = Location::parse(realm).ok_or_else(|| {
            let message = format!("{} names a token server that is not a URL", self.url.host);
            Error::new(ErrorKind::Protocol, message)
        })?;
        if stored.is_some() {
            self.check_realm(&realm)?;
        }
        let scope = format!("repository:{}:pull", self.image.repository());
        let service = service.unwrap_or(&self.url.host);
        let query = format!("service={}&scope={}", escaped(service), escaped(&scope));
        let answer = match stored {
            None => self.ask(&with_query(realm, &query), None),
            Some(Credentials::Password { user, password }) => self.ask(
                &with_query(realm, &query),
                Some(Credentials::basic(&user, &password)),
            ),
            Some(Credentials::Identity(token)) => self.exchange(&realm, &query, &token),
        }?;
        let (token, life) = token_of(&answer).ok_or_else(|| {
            let message = format!("the token server of {} sent no token", self.url.host);
            Error::new(ErrorKind::Protocol, message)
        })?;
        Ok(Grant {
            header: format!("Bearer {token}"),
            end: Some(Instant::now() + life.saturating_sub(MARGIN)),
        })
    }

    /// Checks that the registry may name this server for credentials: the connection to it is
    /// verified, or the user named it as insecure.
    fn check_realm(&self, realm: &Location) -> Result<(), Error> {
        let is_verified = |url: &Location| url.is_https && !self.agents.is_insecure(&url.host);
        let is_own = realm.host == self.url.host;
        let is_trusted = is_own
            || is_verified(self.url) && is_verified(realm)
            || self.agents.is_insecure(&realm.host);
        if is_trusted {
            return Ok(());
        }
        let message = format!(
            "{} names the token server {}, which is not sent the credentials because the connection is not verified",
            self.url.host, realm.host
        );
        Err(Error::new(ErrorKind::Unauthorized, message)
            .with_help(format!("add --insecure {} if you trust it", realm.host)))
    }

    fn ask(&self, url: &Location, authorization: Option<String>) -> Result<Vec<u8>, Error> {
        let headers: Vec<_> = authorization
            .map(|value| ("authorization", value))
            .into_iter()
            .collect();
        let call = Call {
            url,
            headers: &headers,
            timeout: self.limits.total,
        };
        self.body(url, exchange::get(self.agents, &call)?)
    }

    /// Exchanges an identity token for an access token (OAuth 2.0).
    fn exchange(&self, url: &Location, query: &str, token: &str) -> Result<Vec<u8>, Error> {
        let form = format!(
            "{query}&grant_type=refresh_token&client_id=nri-compat&refresh_token={}",
            escaped(token)
        );
        let headers = [(
            "content-type",
            "application/x-www-form-urlencoded".to_owned(),
        )];
        let call = Call {
            url,
            headers: &headers,
            timeout: self.limits.total,
        };
        self.body(url, exchange::post(self.agents, &call, &form)?)
    }

    fn body(
        &self,
        url: &Location,
        answer: ureq::http::Response<ureq::Body>,
    ) -> Result<Vec<u8>, Error> {
        let status = answer.status().as_u16();
        if status == 200 {
            return exchange::small(&url.host, answer, MAX_TOKEN);
        }
        let kind = match status {
            429 => ErrorKind::RateLimited,
            408 | 500..=599 => ErrorKind::Server,
            401 => ErrorKind::Unauthorized,
            400 | 403 => ErrorKind::Denied,
            _ => ErrorKind::Protocol,
        };
        let message = format!(
            "{}, the token server of {}, answered {status}",
            url.host, self.url.host
        );
        Err(Error::new(kind, message)
            .with_status(status)
            .with_help(format!(
                "check the credentials for {}",
                self.image.registry()
            )))
    }
}

/// Adds parameters to a URL.
fn with_query(mut url: Location, query: &str) -> Location {
    url.path
        .push(if url.path.contains('?') { '&' } else { '?' });
    url.path.push_str(query);
    url
}

/// Returns the token in the answer of a token server, and its lifetime; `None` if there is no token
/// that can be sent in a header.
pub fn token_of(answer: &[u8]) -> Option<(String, Duration)> {
    #[derive(Deserialize)]
    struct Answer {
        token: Option<String>,
        access_token: Option<String>,
        expires_in: Option<u64>,
    }
    let answer: Answer = serde_json::from_slice(answer).ok()?;
    let token = answer
        .token
        .filter(|token| !token.is_empty())
        .or(answer.access_token)?;
    let is_plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let life = answer.expires_in.map_or(DEFAULT_LIFE, |seconds| {
        Duration::from_secs(seconds.min(MAX_LIFE))
    });
    is_plain.then_some((token, life))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_two_names_and_a_lifetime() {
        let read =
            |text: &str| token_of(text.as_bytes()).map(|(token, life)| (token, life.as_secs()));
        assert_eq!(
            read(r#"{"token": "a", "expires_in": 300}"#),
            Some(("a".into(), 300))
        );
        assert_eq!(
            read(r#"{"token": "", "access_token": "b"}"#),
            Some(("b".into(), 60))
        );
        assert_eq!(
            read(&format!(r#"{{"token": "a", "expires_in": {}}}"#, u64::MAX)),
            Some(("a".into(), MAX_LIFE))
        );
        for wrong in [
            "",
            "{}",
            r#"{"token": 1}"#,
            r#"{"token": "a\r\nHost: b"}"#,
            r#"{"token": "a b"}"#,
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
