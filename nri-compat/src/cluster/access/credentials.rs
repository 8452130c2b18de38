//! The credentials of a user, read once, so that requests neither read files nor start programs.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::config::AuthInfo;

use super::exec;
use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The maximum size of a file with a token in bytes.
const MAX_TOKEN: u64 = 1 << 20;

/// Replaces a file with a token, and a plugin, by what they give.
///
/// # Errors
///
/// Returns an error if a token cannot be read, a plugin fails, or the user needs an authentication
/// provider, which `kubectl` does not have any more either.
pub(super) async fn settle(user: &mut AuthInfo, timeout: Duration) -> Result<(), ClusterError> {
    if let Some(provider) = user.auth_provider.take() {
        let message = format!(
            "the user needs the authentication provider `{}`",
            provider.name
        );
        return Err(ClusterError::new(ClusterErrorKind::Credentials, message)
            .with_help("use a credential plugin (`exec`) instead, as kubectl does since v1.26"));
    }
    if let Some(path) = user.token_file.take() {
        match read_token(Path::new(&path)) {
            Ok(token) => user.token = Some(token.into()),
            // Like kubectl, falls back to the token beside it.
            Err(_) if user.token.is_some() => {}
            Err(error) => return Err(error),
        }
    }
    let has_password = user.username.is_some() && user.password.is_some();
    let plugin = user.exec.take();
    if let Some(plugin) = plugin.filter(|_| user.token.is_none() && !has_password) {
        let given = exec::run(&plugin, timeout).await?;
        user.token = given.token.map(Into::into);
        if let Some((certificate, key)) = given.certificate {
            user.client_certificate_data = Some(STANDARD.encode(certificate));
            user.client_key_data = Some(STANDARD.encode(key).into());
        }
    }
    Ok(())
}

fn read_token(path: &Path) -> Result<String, ClusterError> {
    let mut token = String::new();
    let file = File::open(path).map(|file| file.take(MAX_TOKEN));
    let read = file.and_then(|mut file| file.read_to_string(&mut token));
    read.map_err(|error| {
        let message = format!("cannot read the token in {}", path.display());
        let error = ClusterError::new(ClusterErrorKind::Credentials, message).caused_by(error);
        error.with_help("log in again, or correct `tokenFile` in the kubeconfig")
    })?;
    Ok(token.trim().to_owned())
}
