//! The credentials of a user, which are renewed while lists are read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use kube::config::{AuthInfo, ExecConfig};

use super::exec;
use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The maximum size of a file with a token in bytes.
const MAX_TOKEN: u64 = 1 << 20;

/// The time after which a file with a token is read again, as by `kubectl`.
const TOKEN_PERIOD: Duration = Duration::from_secs(60);

/// The credentials of a user.
pub(in crate::cluster) struct Credentials {
    /// The user with a token or certificate, and without the source of these.
    user: AuthInfo,
    source: Source,
    /// The time that a plugin may take.
    timeout: Duration,
}

/// The source of a token or certificate.
enum Source {
    /// The kubeconfig, whose credentials do not change.
    Kubeconfig,
    /// A file with a token, the time at which it was read, and its content.
    File {
        path: PathBuf,
        read: Instant,
        token: Option<String>,
    },
    /// A plugin, and when its credentials expire, if they do.
    Plugin {
        plugin: Box<ExecConfig>,
        expires: Option<Timestamp>,
    },
}

impl Credentials {
    /// Returns the credentials of a user, from a file or a plugin if the user names one.
    ///
    /// # Errors
    ///
    /// Returns an error if a token cannot be read, a plugin fails, or the user needs an
    /// authentication provider, which `kubectl` no longer supports either.
    pub(super) async fn of(mut user: AuthInfo, timeout: Duration) -> Result<Self, ClusterError> {
        if let Some(provider) = user.auth_provider.take() {
            return Err(no_provider(&provider.name));
        }
        let mut credentials = Self {
            source: source(&mut user),
            user,
            timeout,
        };
        credentials.obtain().await?;
        Ok(credentials)
    }

    /// Returns the user, for the next requests.
    pub(in crate::cluster) fn user(&self) -> &AuthInfo {
        &self.user
    }

    /// Renews credentials that have expired or that the server rejected. Returns true if they have
    /// changed.
    ///
    /// # Errors
    ///
    /// Returns an error if a plugin fails.
    pub(in crate::cluster) async fn renew(&mut self, rejected: bool) -> Result<bool, ClusterError> {
        let is_old = match &self.source {
            Source::Kubeconfig => false,
            Source::File { read, .. } => rejected || read.elapsed() >= TOKEN_PERIOD,
            Source::Plugin { expires, .. } => {
                rejected || expires.is_some_and(|expires| expires <= Timestamp::now())
            }
        };
        if is_old {
            self.obtain().await
        } else {
            Ok(false)
        }
    }

    /// Reads the file or runs the plugin; returns true if the credentials are new.
    async fn obtain(&mut self) -> Result<bool, ClusterError> {
        match &mut self.source {
            Source::Kubeconfig => Ok(false),
            Source::File { path, read, token } => {
                *read = Instant::now();
                match read_token(path) {
                    Ok(same) if token.as_ref() == Some(&same) => Ok(false),
                    Ok(new) => {
                        self.user.token = Some(new.clone().into());
                        *token = Some(new);
                        Ok(true)
                    }
                    // Like kubectl, keeps the last token, or the one in the kubeconfig.
                    Err(_) if self.user.token.is_some() => Ok(false),
                    Err(error) => Err(error),
                }
            }
            Source::Plugin { plugin, expires } => {
                let given = exec::run(plugin, self.timeout).await?;
                // An expiry in the past means that the clocks differ, so the server decides.
                *expires = given.expires.filter(|expires| *expires > Timestamp::now());
                self.user.token = given.token.map(Into::into);
                if let Some((certificate, key)) = given.certificate {
                    self.user.client_certificate_data = Some(STANDARD.encode(certificate));
                    self.user.client_key_data = Some(STANDARD.encode(key).into());
                }
                Ok(true)
            }
        }
    }
}

/// Removes the source of the credentials from a user and returns it. A token or password in the
/// kubeconfig takes precedence over a plugin, and a file over both.
fn source(user: &mut AuthInfo) -> Source {
    let has_password = user.username.is_some() && user.password.is_some();
    let plugin = user.exec.take();
    if let Some(path) = user.token_file.take() {
        return Source::File {
            path: path.into(),
            read: Instant::now(),
            token: None,
        };
    }
    match plugin.filter(|_| user.token.is_none() && !has_password) {
        Some(plugin) => Source::Plugin {
            plugin: Box::new(plugin),
            expires: None,
        },
        None => Source::Kubeconfig,
    }
}

fn no_provider(name: &str) -> ClusterError {
    let message = format!("the user needs the authentication provider `{name}`");
    ClusterError::new(ClusterErrorKind::Credentials, message)
        .with_help("use a credential plugin (`exec`) instead, as kubectl does since v1.26")
}

fn read_token(path: &Path) -> Result<String, ClusterError> {
    let mut token = String::new();
    let file = File::open(path).map(|file| file.take(MAX_TOKEN));
    let read = file.and_then(|mut file| file.read_to_string(&mut token));
    read.map_err(|error| unreadable(path).caused_by(error))?;
    match token.trim() {
        "" => Err(unreadable(path).caused_by("it is empty")),
        token => Ok(token.to_owned()),
    }
}

fn unreadable(path: &Path) -> ClusterError {
    let message = format!("cannot read the token in {}", path.display());
    ClusterError::new(ClusterErrorKind::Credentials, message)
        .with_help("log in again, or correct `tokenFile` in the kubeconfig")
}
