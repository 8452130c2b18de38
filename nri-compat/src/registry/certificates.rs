//! Authorities of certificates: those configured for single registries in Docker and Podman
//! (`certs.d`), and those of the environment or the system.

use std::fs;
use std::path::{Path, PathBuf};

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::tls::{Certificate, RootCerts};

use super::environment::Environment;
use super::error::{Error, ErrorKind};

/// Returns the authorities that are trusted for a host.
///
/// # Errors
///
/// Returns an error if a configured file or folder has no certificate.
pub(super) fn authorities(host: &str, environment: &Environment) -> Result<RootCerts, Error> {
    let own = of_host(host, environment)?;
    let named = named(environment)?;
    if own.is_empty() && named.is_none() {
        return Ok(RootCerts::PlatformVerifier);
    }
    let others = named.unwrap_or_else(|| owned(load_native_certs()));
    Ok(others.into_iter().chain(own).into())
}

/// Returns the authorities in the folders of this host: files that end in `.crt`.
fn of_host(host: &str, environment: &Environment) -> Result<Vec<Certificate<'static>>, Error> {
    let home = environment.path("HOME");
    let home = home.map(|home| home.join(".config/containers/certs.d"));
    let system = ["/etc/containers/certs.d", "/etc/docker/certs.d"].map(PathBuf::from);
    let mut found = Vec::new();
    for folder in home.into_iter().chain(system) {
        let files = fs::read_dir(folder.join(host)).into_iter().flatten();
        let paths = files.flatten().map(|file| file.path());
        for path in paths.filter(|path| path.extension().is_some_and(|end| end == "crt")) {
            found.extend(load(Some(&path), None, &crate::escape::path(&path))?);
        }
    }
    Ok(found)
}

/// Returns the certificates that `SSL_CERT_FILE` and `SSL_CERT_DIR` name; `None` if neither is set.
fn named(environment: &Environment) -> Result<Option<Vec<Certificate<'static>>>, Error> {
    let mut found = None;
    if let Some(file) = environment.path("SSL_CERT_FILE") {
        found = Some(load(Some(&file), None, "SSL_CERT_FILE")?);
    }
    if let Some(folders) = environment.path("SSL_CERT_DIR") {
        for folder in std::env::split_paths(&folders) {
            let certificates = load(None, Some(&folder), "SSL_CERT_DIR")?;
            found.get_or_insert_default().extend(certificates);
        }
    }
    Ok(found)
}

fn load(
    file: Option<&Path>,
    folder: Option<&Path>,
    source: &str,
) -> Result<Vec<Certificate<'static>>, Error> {
    let read = load_certs_from_paths(file, folder);
    if !read.certs.is_empty() {
        return Ok(owned(read));
    }
    let why = read.errors.first().map(|why| format!(": {why}"));
    let message = format!("{source} names no certificate{}", why.unwrap_or_default());
    Err(
        Error::new(ErrorKind::Configuration, crate::escape::short(&message))
            .with_help("name certificates in PEM format"),
    )
}

fn owned(read: CertificateResult) -> Vec<Certificate<'static>> {
    let certificates = read.certs.iter();
    certificates
        .map(|der| Certificate::from_der(der.as_ref()).to_owned())
        .collect()
}
