//! Configure: hands a plugin its configuration, and takes its subscription.

use nri::codec::Message as _;

use nri::api::{ConfigureRequest, ConfigureResponse, EventMask, FailurePolicy};
use nri::{Error, ErrorKind, Result};

use super::core::Core;
use super::member::Link;
use super::strip::without_newer;

/// A plugin's answer to Configure.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) events: EventMask,
    pub(super) failure_policy: FailurePolicy,
}

/// Configures a plugin.
///
/// # Errors
///
/// Returns an error if the plugin returns one or does not answer, and [`ErrorKind::Protocol`] if its event mask
/// has bits that the revision does not know.
pub(super) async fn configure(core: &Core, link: &Link, config: &str) -> Result<Subscription> {
    let request = request(core, config);
    let answer = link.call("Configure", request, core.timeouts.request).await;
    let answer = answer.map_err(|error| {
        let message = format!("failed to configure plugin: {error}");
        Error::with_kind(ErrorKind::Connection, message).with_source(error)
    })?;
    let answer = ConfigureResponse::decode(answer).map_err(|error| {
        let message = format!("failed to configure plugin: unreadable answer: {error}");
        Error::with_kind(ErrorKind::Malformed, message)
    })?;
    let policy = answer
        .failure_policy
        .filter(|_| core.revision.has_failure_policy());
    Ok(Subscription {
        events: subscribed(answer.events, core.revision.events())?,
        failure_policy: policy.unwrap_or_default(),
    })
}

fn request(core: &Core, config: &str) -> Vec<u8> {
    let millis = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let request = ConfigureRequest {
        config: config.to_owned(),
        runtime_name: core.name.clone(),
        runtime_version: core.version.clone(),
        registration_timeout: millis(core.timeouts.registration),
        request_timeout: millis(core.timeouts.request),
        nri_version: core.revision.release().to_owned(),
    };
    let release = core.revision.release();
    without_newer("ConfigureRequest", &request.encode_to_vec(), release)
}

/// Checks an event mask; 0 stands for all events.
fn subscribed(mask: i32, known: EventMask) -> Result<EventMask> {
    if mask == 0 {
        return Ok(known);
    }
    let extra = mask & !known.bits();
    if extra != 0 {
        let message = format!("invalid plugin events: 0x{extra:x}");
        return Err(Error::with_kind(ErrorKind::Protocol, message));
    }
    Ok(EventMask::from_bits_truncate(mask))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::api::Event;

    #[test]
    fn a_mask_is_checked_against_the_revision() {
        let known = EventMask::from_event(Event::RunPodSandbox).with(Event::StopPodSandbox);
        assert_eq!(subscribed(0, known).unwrap(), known);
        assert_eq!(subscribed(1, known).unwrap().bits(), 1);
        let error = subscribed(0x4005, known).unwrap_err();
        assert_eq!(error.to_string(), "invalid plugin events: 0x4004");
        assert!(subscribed(-1, known).is_err());
    }
}
