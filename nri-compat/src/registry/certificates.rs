//! Certificates: those configured for single registries in Docker and Podman (`certs.d`), and the
//! authorities of the environment or the system.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, parse_pem};

use super::environment::Environment;
use super::error::{Error, ErrorKind};

/// The maximum size of a file with certificates in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The certificates for one registry.
#[derive(Default)]
pub(super) struct Certificates {
    /// Authorities to trust in addition to those of the system.
    pub(super) authorities: Vec<Certificate<'static>>,
    /// The certificate to present.
    pub(super) client: Option<ClientCert>,
}

/// Returns the certificates in the folders of this host: `*.crt` are authorities, `*.cert` and
/// `*.key` of the same name are certificates to present.
///
/// # Errors
///
/// Returns an error if a file cannot be read.
pub(super) fn of(host: &str, environment: &Environment) -> Result<Certificates, Error> {
    let mut all = Certificates::default();
    for folder in folders(environment) {
        let Ok(files) = fs::read_dir(folder.join(host)) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.sort();
        for path in &paths {
            all.add(path).map_err(|why| {
                let message = format!("cannot use {}: {why}", crate::escape::path(path));
                Error::new(ErrorKind::Configuration, message)
            })?;
        }
    }
    Ok(all)
}

/// Returns the folders of Podman and Docker, that of the user first.
fn folders(environment: &Environment) -> Vec<PathBuf> {
    let home = environment.path("HOME");
    let home = home.map(|home| home.join(".config/containers/certs.d"));
    let system = ["/etc/containers/certs.d", "/etc/docker/certs.d"].map(PathBuf::from);
    home.into_iter().chain(system).collect()
}

impl Certificates {
    fn add(&mut self, path: &Path) -> Result<(), String> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("crt") => self.authorities.extend(read(path)?.0),
            Some("cert") => {
                let (chain, _) = read(path)?;
                let (_, key) = read(&path.with_extension("key"))?;
                let key = key.ok_or("its `.key` file has no private key")?;
                check(&chain, &key)?;
                self.client = Some(ClientCert::new_with_certs(&chain, key));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Checks that a certificate can be presented and matches the key, because the HTTP library panics otherwise.
fn check(chain: &[Certificate<'_>], key: &PrivateKey<'_>) -> Result<(), String> {
    let chain = chain
        .iter()
        .map(|certificate| certificate.der().to_vec().into());
    let labelled = format!("{:?}", key.kind());
    let key = PrivateKeyDer::try_from(key.der().to_vec()).map_err(str::to_owned)?;
    let kind = match &key {
        PrivateKeyDer::Pkcs1(_) => "Pkcs1",
        PrivateKeyDer::Pkcs8(_) => "Pkcs8",
        PrivateKeyDer::Sec1(_) => "Sec1",
        _ => "unknown",
    };
    if kind != labelled {
        return Err(format!("its key is labelled {labelled}, but is {kind}"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| {
            config
                .with_root_certificates(RootCertStore::empty())
                .with_client_auth_cert(chain.collect(), key)
        })
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Returns the certificates that `SSL_CERT_FILE` and `SSL_CERT_DIR` name; `None` if neither is set.
///
/// # Errors
///
/// Returns an error if the file contains no certificate, or if both together name none.
pub(super) fn named(environment: &Environment) -> Result<Option<Vec<Certificate<'static>>>, Error> {
    let file = environment.path("SSL_CERT_FILE");
    let folders = environment.path("SSL_CERT_DIR");
    if file.is_none() && folders.is_none() {
        return Ok(None);
    }
    let folders: Vec<PathBuf> = folders
        .iter()
        .flat_map(|all| std::env::split_paths(all))
        .collect();
    let sources = file
        .iter()
        .map(|file| (Some(file.as_path()), None))
        .chain(folders.iter().map(|folder| (None, Some(folder.as_path()))));
    let mut found = Vec::new();
    for (file, folder) in sources {
        let read = rustls_native_certs::load_certs_from_paths(file, folder);
        if file.is_some() && read.certs.is_empty() {
            return Err(without_certificate("SSL_CERT_FILE", read.errors.first()));
        }
        found.extend(owned(&read.certs));
    }
    if found.is_empty() {
        return Err(without_certificate("SSL_CERT_DIR", None));
    }
    Ok(Some(found))
}

fn without_certificate(variable: &str, why: Option<&rustls_native_certs::Error>) -> Error {
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let message = crate::escape::short(&format!("{variable} names no certificate{why}"));
    Error::new(ErrorKind::Configuration, message).with_help(format!(
        "name certificates in PEM format, or unset {variable}"
    ))
}

/// Returns the certificates that the system trusts.
pub(super) fn of_system() -> Vec<Certificate<'static>> {
    owned(&rustls_native_certs::load_native_certs().certs)
}

fn owned(all: &[impl AsRef<[u8]>]) -> Vec<Certificate<'static>> {
    all.iter()
        .map(|der| Certificate::from_der(der.as_ref()).to_owned())
        .collect()
}

/// Reads the certificates and the first private key of a file.
fn read(path: &Path) -> Result<(Vec<Certificate<'static>>, Option<PrivateKey<'static>>), String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_FILE {
        return Err(format!("it has more than {} MiB", MAX_FILE >> 20));
    }
    let text = fs::read(path).map_err(|error| error.to_string())?;
    let (mut certificates, mut key) = (Vec::new(), None);
    for item in parse_pem(&text) {
        match item.map_err(|error| error.to_string())? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            PemItem::PrivateKey(found) => key = key.or(Some(found)),
            _ => {}
        }
    }
    Ok((certificates, key))
}
