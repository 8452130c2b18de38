//! Certificates that docker and podman are configured with for single registries: `certs.d`.

use std::fs;
use std::path::{Path, PathBuf};

use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, parse_pem};

use super::environment::Environment;
use super::error::{Error, ErrorKind};

/// The maximum size of a file with certificates in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The certificates for one registry.
#[derive(Default)]
pub(super) struct Certificates {
    /// Authorities to trust besides those of the system.
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

/// Returns the folders of podman and docker, that of the user first.
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
                self.client = Some(ClientCert::new_with_certs(&chain, key));
            }
            _ => {}
        }
        Ok(())
    }
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
