//! The changes in Configure.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use nri::api::ConfigureRequest;
use nri::codec::{DecodeError, Message as _};

use super::Options;

/// The time limit of a runtime that names none: those before NRI v0.8.
const DEFAULT_LIMIT: Duration = Duration::from_secs(2);

/// The part of the runtime's time limit that the plugin has, in percent. The rest is for the way
/// there and back, and for an event that the plugin gets twice.
const SHARE: u32 = 90;

/// Returns the part of a time limit that the plugin has.
pub(super) fn share(limit: Duration) -> Duration {
    limit * SHARE / 100
}

/// A Configure request for the plugin.
pub(super) struct Configure {
    /// The request.
    pub(super) request: Bytes,
    /// The time limit of each further request.
    pub(super) limit: Duration,
}

impl Configure {
    /// Returns the request with the plugin's time limits. The other fields, also those that the
    /// bridge does not know, stay as they were sent: of a field that a message has twice, the last
    /// one counts.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a Configure request.
    pub(super) fn new(sent: &Bytes, options: &Options) -> Result<Self, DecodeError> {
        let known = ConfigureRequest::decode(&sent[..])?;
        let shortened = |limit: i64| limit * i64::from(SHARE) / 100;
        let changes = ConfigureRequest {
            registration_timeout: shortened(known.registration_timeout),
            request_timeout: shortened(known.request_timeout),
            nri_version: options.speak.clone().unwrap_or_default(),
            ..ConfigureRequest::default()
        };
        let mut request = BytesMut::from(&sent[..]);
        request.extend_from_slice(&changes.encode_to_vec());
        let limit = match u64::try_from(known.request_timeout) {
            Ok(0) | Err(_) => DEFAULT_LIMIT,
            Ok(millis) => Duration::from_millis(millis),
        };
        Ok(Self { request: request.freeze(), limit: share(limit) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_become_shorter_and_all_else_stays() {
        let sent = ConfigureRequest {
            config: "a: b".to_owned(),
            runtime_name: "containerd".to_owned(),
            request_timeout: 2_000,
            registration_timeout: 5_000,
            nri_version: "v0.13.0".to_owned(),
            ..ConfigureRequest::default()
        };
        // Field 99 is one that nobody knows.
        let unknown = [0x9a, 6, 1, 7];
        let bytes = Bytes::from([&sent.encode_to_vec()[..], &unknown].concat());
        let configure = Configure::new(&bytes, &Options::default()).expect("it is one");
        assert!(configure.request.starts_with(&bytes));
        let seen = ConfigureRequest::decode(&configure.request[..]).expect("it is one");
        let expected =
            ConfigureRequest { request_timeout: 1_800, registration_timeout: 4_500, ..sent };
        assert_eq!(seen, expected);
        assert_eq!(configure.limit, Duration::from_millis(1_800));
    }

    #[test]
    fn a_runtime_without_limits_gets_the_default_and_a_version_can_be_named() {
        let options = Options { speak: Some("v0.11.0".to_owned()) };
        let configure = Configure::new(&Bytes::new(), &options).expect("it is one");
        let seen = ConfigureRequest::decode(&configure.request[..]).expect("it is one");
        assert_eq!((seen.request_timeout, seen.nri_version.as_str()), (0, "v0.11.0"));
        assert_eq!(configure.limit, Duration::from_millis(1_800));
    }
}
