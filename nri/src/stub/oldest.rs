//! The oldest runtime that a plugin runs under, by `protocol` and `required_fields` of `#[nri(…)]`.

use super::mask::{NEWER_RUNTIME, unsupported};
use crate::context::Runtime;
use crate::plugin::{Plugin, RequiredField};
use crate::{Error, ErrorKind, Result};

/// Refuses a runtime that is older than the plugin supports. Returns a warning if the release of the runtime is unknown.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`].
pub(super) fn require<P: Plugin>(runtime: &Runtime) -> Result<Option<String>> {
    let warning = P::PROTOCOL.map_or(Ok(None), |oldest| require_release(oldest, runtime))?;
    require_fields(P::POLICIES.required_fields, runtime)?;
    Ok(warning)
}

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
    let missing = fields
        .iter()
        .filter(|field| runtime.is_at_least(field.since) != Some(true));
    let missing: Vec<_> = missing
        .map(|field| format!("{} (since NRI {})", field.path, field.since))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(unsupported(
        runtime,
        &missing.join(", "),
        "a field that the plugin requires",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::runtime::runtime;

    #[test]
    fn an_older_release_is_refused_and_an_unknown_one_named() {
        let old = require_release("v0.7.0", &runtime("containerd", "v1.7.6", "")).unwrap_err();
        assert_eq!(old.kind(), ErrorKind::Unsupported);
        assert!(
            old.to_string()
                .ends_with("is too old: the plugin supports NRI v0.7.0 and later"),
            "{old}"
        );
        assert_eq!(
            require_release("v0.7.0", &runtime("x", "", "v0.7.0")).unwrap(),
            None
        );
        let unknown = require_release("v0.7.0", &runtime("x", "", "")).unwrap();
        assert!(
            unknown
                .unwrap()
                .starts_with("x (NRI version unknown) may be too old")
        );
    }

    #[test]
    fn a_field_that_may_be_ignored_is_refused() {
        let fields = [RequiredField::named("adjust.CDI_devices")];
        for (nri, verb) in [("v0.6.1", "does not know"), ("", "may not know")] {
            let error = require_fields(&fields, &runtime("x", "", nri)).unwrap_err();
            let expected = format!(
                "{verb} a field that the plugin requires: adjust.CDI_devices (since NRI v0.7.0)"
            );
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
        assert!(require_fields(&fields, &runtime("x", "", "v0.7.0")).is_ok());
    }
}
