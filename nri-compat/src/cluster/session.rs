//! The connection to an API server, with credentials that are renewed.

use kube::Config;

use super::access::{self, Access, Credentials};
use super::error::{ClusterError, ClusterErrorKind};

/// A connection with credentials.
pub(super) struct Session {
    /// The name of the context.
    context: String,
    /// The configuration without credentials.
    config: Config,
    credentials: Credentials,
    kube: kube::Client,
}

impl Session {
    /// Prepares a connection without making a request.
    ///
    /// # Errors
    ///
    /// Returns an error if certificates, keys or the proxy cannot be used.
    pub(super) fn new(access: Access) -> Result<Self, ClusterError> {
        let Access {
            name,
            config,
            credentials,
        } = access;
        Ok(Self {
            kube: connect(&name, &config, &credentials)?,
            context: name,
            config,
            credentials,
        })
    }

    /// Returns the client for the next request, after renewing credentials that have expired.
    ///
    /// # Errors
    ///
    /// Returns an error if credentials cannot be renewed.
    pub(super) async fn client(&mut self) -> Result<kube::Client, ClusterError> {
        self.renew(false).await?;
        Ok(self.kube.clone())
    }

    /// Returns a client with new credentials after the server has rejected the last ones; `None` if
    /// there are no others.
    ///
    /// # Errors
    ///
    /// Returns an error if credentials cannot be renewed.
    pub(super) async fn after_rejection(&mut self) -> Result<Option<kube::Client>, ClusterError> {
        let is_new = self.renew(true).await?;
        Ok(is_new.then(|| self.kube.clone()))
    }

    async fn renew(&mut self, rejected: bool) -> Result<bool, ClusterError> {
        let is_new = self.credentials.renew(rejected).await?;
        if is_new {
            self.kube = connect(&self.context, &self.config, &self.credentials)?;
        }
        Ok(is_new)
    }
}

fn connect(
    context: &str,
    config: &Config,
    credentials: &Credentials,
) -> Result<kube::Client, ClusterError> {
    let mut config = config.clone();
    config.auth_info = credentials.user().clone();
    kube::Client::try_from(config).map_err(|error| {
        let message = format!("cannot use the context `{context}`");
        let error = ClusterError::new(ClusterErrorKind::Kubeconfig, message).caused_by(error);
        error.with_help(access::compare_with_kubectl(context))
    })
}
