//! Authorities of certificates: those that the environment names, or those of the system.

use std::path::Path;

use rustls_native_certs::load_certs_from_paths;
use ureq::tls::{Certificate, RootCerts};

use super::environment::Environment;
use super::error::{Error, ErrorKind};

/// Returns the authorities that are trusted: those of `SSL_CERT_FILE` and `SSL_CERT_DIR`, or those of the
/// system if neither is set.
///
/// # Errors
///
/// Returns an error if a variable names no certificate.
pub(super) fn authorities(environment: &Environment) -> Result<RootCerts, Error> {
    let mut found = Vec::new();
    if let Some(file) = environment.path("SSL_CERT_FILE") {
        found.extend(load(Some(&file), None, "SSL_CERT_FILE")?);
    }
    if let Some(folders) = environment.path("SSL_CERT_DIR") {
        for folder in std::env::split_paths(&folders) {
            found.extend(load(None, Some(&folder), "SSL_CERT_DIR")?);
        }
    }
    if found.is_empty() {
        return Ok(RootCerts::PlatformVerifier);
    }
    Ok(found.into())
}

fn load(
    file: Option<&Path>,
    folder: Option<&Path>,
    variable: &str,
) -> Result<Vec<Certificate<'static>>, Error> {
    let read = load_certs_from_paths(file, folder);
    if read.certs.is_empty() {
        let why = read.errors.first().map(|why| format!(": {why}"));
        let message = format!("{variable} names no certificate{}", why.unwrap_or_default());
        let message = crate::escape::short(&message);
        return Err(Error::new(ErrorKind::Configuration, message)
            .with_help("name certificates in PEM format"));
    }
    let owned = |der: &[u8]| Certificate::from_der(der).to_owned();
    Ok(read.certs.iter().map(|der| owned(der)).collect())
}
