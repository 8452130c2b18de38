//! Sends a request until it is answered: attempts, credentials, redirects, and the choice between
//! HTTPS and HTTP.

use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use ureq::Body;
use ureq::http::Response;

use super::refusal::{refusal, server_message};
use super::{Client, Wanted};
use crate::registry::auth::Refused;
use crate::registry::challenge;
use crate::registry::error::{Error, ErrorKind};
use crate::registry::exchange::{self, Call, header};
use crate::registry::location::Location;

/// The maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 5;

/// The maximum size of the body of an error in bytes.
const MAX_ERROR: u64 = 64 << 10;

/// A failed attempt.
struct Failed {
    error: Error,
    /// The pause that the registry asked for.
    pause: Option<Duration>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, pause: None }
    }
}

impl Client {
    /// Sends a request, and repeats it if it may succeed later. `read` returns the result from the
    /// answer.
    pub(in crate::registry) fn fetch<T>(
        &self,
        wanted: &Wanted<'_>,
        read: impl Fn(Response<Body>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut failures = 0;
        loop {
            let attempt = self.attempt(wanted);
            let Failed { error, pause } = match attempt.and_then(|answer| Ok(read(answer)?)) {
                Ok(found) => return Ok(found),
                Err(failed) => failed,
            };
            failures += 1;
            let pause = pause.unwrap_or_else(|| self.limits.pause_after(failures));
            if !error.is_temporary()
                || failures >= self.limits.attempts
                || pause > self.limits.longest_pause
            {
                return Err(error);
            }
            thread::sleep(pause);
        }
    }

    /// Sends a request once, with credentials if the server requires them.
    fn attempt(&self, wanted: &Wanted<'_>) -> Result<Response<Body>, Failed> {
        let (host, repository) = (wanted.image.host(), wanted.image.repository());
        let url = Location {
            is_https: self.uses_tls(host)?,
            host: host.to_owned(),
            path: format!("/v2/{repository}/{}", wanted.path),
        };
        let known = self.auth.accepted(host, repository);
        let answer = self.follow(&url, wanted, known.as_deref())?;
        if answer.status().as_u16() != 401 {
            return self.checked(&url, wanted, answer);
        }
        let headers = answer.headers().get_all("www-authenticate").iter();
        let headers = headers.filter_map(|header| header.to_str().ok());
        let challenges: Vec<_> = headers.flat_map(challenge::challenges).collect();
        drop(answer);
        let refused = Refused {
            agents: &self.agents,
            limits: &self.limits,
            image: wanted.image,
            url: &url,
            sent: known.as_deref(),
        };
        let new = self.auth.answer(&refused, &challenges)?;
        let answer = self.follow(&url, wanted, Some(&new))?;
        self.checked(&url, wanted, answer)
    }

    /// Sends a request and follows redirects. Credentials are not sent to other servers.
    fn follow(
        &self,
        start: &Location,
        wanted: &Wanted<'_>,
        authorization: Option<&str>,
    ) -> Result<Response<Body>, Error> {
        let mut url = start.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut headers = vec![("accept", wanted.accept.to_owned())];
            if let Some(value) = authorization.filter(|_| url.is_same_origin(start)) {
                headers.push(("authorization", value.to_owned()));
            }
            let call = Call {
                url: &url,
                headers: &headers,
                timeout: wanted.timeout,
            };
            let answer = exchange::get(&self.agents, &call)?;
            if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            url = url.join(header(&answer, "location")).ok_or_else(|| {
                let message = format!("{} sent a redirect to an invalid URL", url.host);
                Error::new(ErrorKind::Protocol, message)
            })?;
        }
        let message = format!("{} redirects more than {MAX_REDIRECTS} times", start.host);
        Err(Error::new(ErrorKind::Protocol, message))
    }

    fn checked(
        &self,
        url: &Location,
        wanted: &Wanted<'_>,
        answer: Response<Body>,
    ) -> Result<Response<Body>, Failed> {
        let status = answer.status().as_u16();
        if status == 200 {
            return Ok(answer);
        }
        // Some servers state a date, for which the usual pause has to do.
        let pause = header(&answer, "retry-after").trim().parse();
        let pause = pause.ok().map(Duration::from_secs);
        let detail = exchange::small(&url.host, answer, MAX_ERROR)
            .ok()
            .and_then(|body| server_message(&body));
        let error = refusal(url, wanted.image, status, detail, pause);
        Err(Failed { error, pause })
    }

    /// Returns true if a host is accessed over TLS. Hosts that the user declares insecure are tried
    /// with plain HTTP first: a server that expects TLS answers that at once, but not vice versa.
    fn uses_tls(&self, host: &str) -> Result<bool, Error> {
        if !self.agents.is_insecure(host) {
            return Ok(true);
        }
        let lock = || {
            self.protocols
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = lock().get(host) {
            return Ok(*known);
        }
        let uses_tls = self.find_protocol(host)?;
        lock().insert(host.to_owned(), uses_tls);
        Ok(uses_tls)
    }

    fn find_protocol(&self, host: &str) -> Result<bool, Error> {
        let ping = |is_https| {
            let url = Location {
                is_https,
                host: host.to_owned(),
                path: "/v2/".to_owned(),
            };
            let call = Call {
                url: &url,
                headers: &[],
                timeout: self.limits.connect,
            };
            exchange::get(&self.agents, &call).map(|answer| {
                (
                    answer.status().as_u16(),
                    header(&answer, "location").starts_with("https:"),
                )
            })
        };
        match ping(false) {
            Ok((400, _)) | Ok((_, true)) => Ok(ping(true).is_ok()),
            Ok(_) => Ok(false),
            Err(error) if ping(true).is_ok() => {
                drop(error);
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }
}
