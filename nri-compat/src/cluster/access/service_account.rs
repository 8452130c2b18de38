//! The service account of the pod in which the command runs.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use kube::config::{
    AuthInfo, Cluster, Context, Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext,
};

use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The name of the context.
pub(super) const CONTEXT: &str = "in-cluster";

/// The variables that every pod of a cluster has.
const HOST: &str = "KUBERNETES_SERVICE_HOST";
const PORT: &str = "KUBERNETES_SERVICE_PORT";

/// The folder where a pod has its token and the certificate of the API server.
const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// A service account.
pub(super) struct ServiceAccount {
    host: OsString,
    port: Option<OsString>,
    folder: PathBuf,
}

impl ServiceAccount {
    /// Returns the service account of this pod; `None` outside of a cluster.
    pub(super) fn of_environment() -> Option<Self> {
        let host = std::env::var_os(HOST).filter(|host| !host.is_empty())?;
        Some(Self {
            host,
            port: std::env::var_os(PORT),
            folder: FOLDER.into(),
        })
    }

    /// Returns a kubeconfig with the service account as its only context.
    ///
    /// # Errors
    ///
    /// Returns an error if the pod has no token, or no address of the API server.
    pub(super) fn kubeconfig(&self) -> Result<Kubeconfig, ClusterError> {
        let token = self.file("token")?;
        let cluster = Cluster {
            server: Some(self.server()?),
            certificate_authority: Some(self.file("ca.crt")?),
            ..Cluster::default()
        };
        let user = AuthInfo {
            token_file: Some(token),
            ..AuthInfo::default()
        };
        let context = Context {
            cluster: CONTEXT.to_owned(),
            user: Some(CONTEXT.to_owned()),
            ..Context::default()
        };
        Ok(Kubeconfig {
            clusters: vec![NamedCluster {
                name: CONTEXT.to_owned(),
                cluster: Some(cluster),
                ..NamedCluster::default()
            }],
            auth_infos: vec![NamedAuthInfo {
                name: CONTEXT.to_owned(),
                auth_info: Some(user),
                ..NamedAuthInfo::default()
            }],
            contexts: vec![NamedContext {
                name: CONTEXT.to_owned(),
                context: Some(context),
                ..NamedContext::default()
            }],
            ..Kubeconfig::default()
        })
    }

    /// Returns the URL of the API server.
    fn server(&self) -> Result<String, ClusterError> {
        let host = self.host.to_string_lossy();
        let port = self.port.as_ref().map(|port| port.to_string_lossy());
        let Some(port) = port.and_then(|port| port.parse::<u16>().ok()) else {
            let message = format!("{HOST} is set, but {PORT} is not a port");
            return Err(failed(message));
        };
        Ok(match host.parse() {
            Ok(IpAddr::V6(address)) => format!("https://[{address}]:{port}"),
            Ok(IpAddr::V4(_)) | Err(_) => format!("https://{host}:{port}"),
        })
    }

    /// Returns the path of a file of the service account.
    fn file(&self, name: &str) -> Result<String, ClusterError> {
        let path: &Path = &self.folder.join(name);
        if !path.is_file() {
            let message = format!(
                "there is no service account: {} does not exist",
                path.display()
            );
            return Err(failed(message));
        }
        Ok(path.to_string_lossy().into_owned())
    }
}

fn failed(message: String) -> ClusterError {
    ClusterError::new(ClusterErrorKind::Kubeconfig, message).with_help(
        "set `serviceAccountName` and `automountServiceAccountToken` for the pod, or name a kubeconfig with --kubeconfig",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(host: &str, port: Option<&str>, folder: &Path) -> ServiceAccount {
        ServiceAccount {
            host: host.into(),
            port: port.map(Into::into),
            folder: folder.to_owned(),
        }
    }

    #[test]
    fn a_pod_has_an_address_a_token_and_an_authority() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |host, port| account(host, port, folder.path()).kubeconfig();
        let missing = of("10.0.0.1", Some("443")).expect_err("no token");
        assert!(
            missing.to_string().contains("token does not exist"),
            "{missing}"
        );
        assert!(
            missing
                .help()
                .is_some_and(|help| help.contains("serviceAccountName"))
        );
        for name in ["token", "ca.crt"] {
            std::fs::write(folder.path().join(name), "x").expect("written");
        }
        for (host, server) in [
            ("10.0.0.1", "https://10.0.0.1:6443"),
            ("fd00::1", "https://[fd00::1]:6443"),
            (
                "kubernetes.default.svc",
                "https://kubernetes.default.svc:6443",
            ),
        ] {
            let kubeconfig = of(host, Some("6443")).expect("a kubeconfig");
            let cluster = kubeconfig.clusters[0].cluster.as_ref().expect("a cluster");
            assert_eq!(cluster.server.as_deref(), Some(server));
        }
        for port in [None, Some(""), Some("x")] {
            assert!(of("10.0.0.1", port).is_err(), "{port:?}");
        }
    }
}
