//! The answer to Configure: the subscription and the failure policy of a plugin.

use super::mask::{NEWER_RUNTIME, subscribe, unsupported};
use crate::api::fields::FIELDS;
use crate::api::{ConfigureResponse, FailurePolicy};
use crate::context::Runtime;
use crate::plugin::{Plugin, RequiredField};
use crate::{Error, ErrorKind, Result};

/// Returns the answer to Configure under this runtime, and warnings about events that the runtime
/// does not know. `chosen` is the mask that the handler of Configure returned.
///
/// # Errors
///
/// Returns the errors of [`subscribe`], and of a runtime that is too old.
pub(crate) fn subscription<P: Plugin>(
    runtime: &Runtime,
    chosen: i32,
) -> Result<(ConfigureResponse, Vec<String>)> {
    let oldest = P::PROTOCOL.map(|oldest| require_release(oldest, runtime));
    let may_be_too_old = oldest.transpose()?.flatten();
    require_fields(P::POLICIES.required_fields, runtime)?;
    let (events, warning) = subscribe(runtime, P::EVENTS, P::POLICIES.required, chosen)?;
    let policy = P::POLICIES.failure_policy;
    let policy_warning = policy.and_then(|policy| failure_policy_warning(policy, runtime));
    let warnings = [may_be_too_old, warning, policy_warning].into_iter().flatten().collect();
    let response = ConfigureResponse { events: events.bits(), failure_policy: policy };
    Ok((response, warnings))
}

fn failure_policy_warning(policy: FailurePolicy, runtime: &Runtime) -> Option<String> {
    let since = FIELDS
        .iter()
        .find(|field| field.message == "ConfigureResponse" && field.name == "failure_policy")
        .map_or("", |field| field.since);
    let verb = match runtime.is_at_least(since) {
        Some(true) => return None,
        Some(false) => "does not know",
        None => "may not know",
    };
    let asked = match (policy.fail_request, policy.keep_connected) {
        (true, true) => "fail_request, keep_connected",
        (true, false) => "fail_request",
        (false, true) => "keep_connected",
        (false, false) => "",
    };
    Some(format!(
        "{runtime} {verb} the failure policy ({asked}; since NRI {since}): a plugin that does not answer in time is \
         disconnected there, and the request goes on without it"
    ))
}

/// Refuses a runtime that is older than `protocol` of `#[nri(…)]`. Returns a warning if its release
/// is unknown.
fn require_release(oldest: &str, runtime: &Runtime) -> Result<Option<String>> {
    match runtime.is_at_least(oldest) {
        Some(true) => Ok(None),
        Some(false) => {
            let message =
                format!("{runtime} is too old: the plugin supports NRI {oldest} and later");
            Err(Error::with_kind(ErrorKind::Unsupported, message).with_help(NEWER_RUNTIME))
        }
        None => Ok(Some(format!(
            "{runtime} may be too old: the plugin supports NRI {oldest} and later"
        ))),
    }
}

fn require_fields(fields: &[RequiredField], runtime: &Runtime) -> Result<()> {
    let missing: Vec<_> = fields
        .iter()
        .filter(|field| runtime.is_at_least(field.since) != Some(true))
        .map(|field| format!("{} (since NRI {})", field.path, field.since))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(unsupported(runtime, &missing.join(", "), "a field that the plugin requires"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_release_is_refused_and_an_unknown_one_named() {
        let oldest = |runtime| require_release("v0.7.0", &runtime);
        let old = oldest(Runtime::new("containerd", "v1.7.6", "")).unwrap_err();
        assert_eq!(old.kind(), ErrorKind::Unsupported);
        let expected = "is too old: the plugin supports NRI v0.7.0 and later";
        assert!(old.to_string().ends_with(expected), "{old}");
        assert_eq!(oldest(Runtime::new("x", "", "v0.7.0")).unwrap(), None);
        let unknown = oldest(Runtime::new("x", "", "")).unwrap().unwrap();
        assert!(unknown.starts_with("x (NRI version unknown) may be too old"));
    }

    #[test]
    fn a_field_that_may_be_ignored_is_refused() {
        let fields = [RequiredField::named("adjust.CDI_devices")];
        for (nri, verb) in [("v0.6.1", "does not know"), ("", "may not know")] {
            let error = require_fields(&fields, &Runtime::new("x", "", nri)).unwrap_err();
            let expected = format!(
                "{verb} a field that the plugin requires: adjust.CDI_devices (since NRI v0.7.0)"
            );
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
        assert!(require_fields(&fields, &Runtime::new("x", "", "v0.7.0")).is_ok());
    }
}
