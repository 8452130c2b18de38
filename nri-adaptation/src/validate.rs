//! The built-in validator: a policy of the runtime over what plugins may adjust, and which plugins
//! must be there.

use std::collections::BTreeMap;
use std::fmt::Display;

use nri::api::security_profile::ProfileType;
use nri::api::{
    Field, FieldOwners, SecurityProfile, ValidateContainerAdjustmentRequest as Request,
};
use serde_yaml_ng::Value;

/// The longest list that is parsed, in bytes. Kubernetes limits all annotations of a pod together
/// to this.
const MAX_LIST: usize = 256 * 1024;

/// The key of the pod annotation that names further required plugins, as a YAML list of names.
///
/// Like other annotations of NRI it can be meant for one container (`KEY/container.NAME`), for the
/// pod (`KEY/pod`), or have no suffix.
pub const REQUIRED_PLUGINS_ANNOTATION: &str = "required-plugins.noderesource.dev";

/// Rejects adjustments that the runtime's configuration forbids, and containers that miss a
/// required plugin.
///
/// The same checks, in the same order, as the default validator of the reference
/// (`plugins/default-validator` of `github.com/containerd/nri` v0.12.5). Nothing is forbidden by
/// default.
///
/// ```
/// use nri_adaptation::validate::DefaultValidator;
/// use nri::api::ValidateContainerAdjustmentRequest;
///
/// let validator = DefaultValidator::default().reject_sysctls(true).require_plugin("topology");
/// let rejection = validator.validate(&ValidateContainerAdjustmentRequest::default());
/// assert_eq!(
///     rejection.unwrap_err().to_string(),
///     r#"required plugin "topology" is not present"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultValidator {
    /// True if OCI hooks may not be added.
    pub reject_oci_hooks: bool,
    /// True if the runtime's default seccomp policy may not be replaced.
    pub reject_runtime_default_seccomp: bool,
    /// True if a seccomp policy may not be set for an unconfined container.
    pub reject_unconfined_seccomp: bool,
    /// True if a custom seccomp policy (of type `LOCALHOST`) may not be replaced.
    pub reject_custom_seccomp: bool,
    /// True if namespaces may not be changed.
    pub reject_namespaces: bool,
    /// True if sysctls may not be set.
    pub reject_sysctls: bool,
    /// Plugins without which no container may be created: a name, or index and name (`10-name`).
    ///
    /// Pods can name further ones in the annotation [`REQUIRED_PLUGINS_ANNOTATION`].
    pub required_plugins: Vec<String>,
    /// The key of the pod annotation that, if true, tolerates the absence of required plugins. None
    /// if empty.
    pub tolerate_missing_annotation: String,
}

/// Why an adjustment is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(String);

impl Rejection {
    fn forbidden(change: impl Display) -> Self {
        Rejection(format!("{change}, which the runtime's configuration forbids"))
    }

    fn annotation(key: &str, value: &str, reason: &str) -> Self {
        Rejection(format!("invalid annotation {key} with value {value:?}: {reason}"))
    }
}

/// Settings, one after the other.
impl DefaultValidator {
    /// Sets whether OCI hooks may not be added.
    #[must_use]
    pub fn reject_oci_hooks(mut self, reject: bool) -> Self {
        self.reject_oci_hooks = reject;
        self
    }

    /// Sets whether the runtime's default seccomp policy may not be replaced.
    #[must_use]
    pub fn reject_runtime_default_seccomp(mut self, reject: bool) -> Self {
        self.reject_runtime_default_seccomp = reject;
        self
    }

    /// Sets whether a seccomp policy may not be set for an unconfined container.
    #[must_use]
    pub fn reject_unconfined_seccomp(mut self, reject: bool) -> Self {
        self.reject_unconfined_seccomp = reject;
        self
    }

    /// Sets whether a custom seccomp policy (of type `LOCALHOST`) may not be replaced.
    #[must_use]
    pub fn reject_custom_seccomp(mut self, reject: bool) -> Self {
        self.reject_custom_seccomp = reject;
        self
    }

    /// Sets whether namespaces may not be changed.
    #[must_use]
    pub fn reject_namespaces(mut self, reject: bool) -> Self {
        self.reject_namespaces = reject;
        self
    }

    /// Sets whether sysctls may not be set.
    #[must_use]
    pub fn reject_sysctls(mut self, reject: bool) -> Self {
        self.reject_sysctls = reject;
        self
    }

    /// Adds a plugin without which no container may be created: a name, or index and name
    /// (`10-name`).
    #[must_use]
    pub fn require_plugin(mut self, name: impl Into<String>) -> Self {
        self.required_plugins.push(name.into());
        self
    }

    /// Sets the key of the pod annotation that, if true, tolerates the absence of required plugins.
    #[must_use]
    pub fn tolerate_missing_annotation(mut self, key: impl Into<String>) -> Self {
        self.tolerate_missing_annotation = key.into();
        self
    }
}

impl DefaultValidator {
    /// Checks an adjustment, as merged, with its owners.
    ///
    /// # Errors
    ///
    /// The first rule that the adjustment breaks.
    pub fn validate(&self, request: &Request) -> Result<(), Rejection> {
        self.check_hooks(request)?;
        self.check_seccomp(request)?;
        self.check_namespaces(request)?;
        self.check_required(request)?;
        self.check_sysctls(request)
    }

    fn check_hooks(&self, request: &Request) -> Result<(), Rejection> {
        if !self.reject_oci_hooks {
            return Ok(());
        }
        match owner(request, Field::OciHooks) {
            Some(owners) => {
                let plugins = name_all(owners.split(','));
                Err(Rejection::forbidden(format!("{plugins} added OCI hooks")))
            }
            None => Ok(()),
        }
    }

    fn check_seccomp(&self, request: &Request) -> Result<(), Rejection> {
        let Some(plugin) = owner(request, Field::SeccompPolicy) else {
            return Ok(());
        };
        let profile = seccomp_profile(request).map(|profile| profile.profile_type());
        let (rejected, policy) = match profile {
            None | Some(ProfileType::Unconfined) => (self.reject_unconfined_seccomp, "unconfined"),
            Some(ProfileType::RuntimeDefault) => {
                (self.reject_runtime_default_seccomp, "runtime default")
            }
            // Also a type that a later release of NRI adds: it is not one of the runtime's own.
            Some(_) => (self.reject_custom_seccomp, "custom"),
        };
        if !rejected {
            return Ok(());
        }
        let change = format!("plugin {plugin:?} changed the {policy} seccomp policy");
        Err(Rejection::forbidden(change))
    }

    fn check_namespaces(&self, request: &Request) -> Result<(), Rejection> {
        if !self.reject_namespaces || request.adjust.is_none() {
            return Ok(());
        }
        let Some(owners) = entry_owners(request, Field::Namespace) else {
            return Ok(());
        };
        let changes: Vec<_> = owners
            .iter()
            .map(|(kind, plugin)| format!("plugin {plugin:?} changed the {kind} namespace"))
            .collect();
        Err(Rejection::forbidden(changes.join(", ")))
    }

    fn check_required(&self, request: &Request) -> Result<(), Rejection> {
        if self.tolerates_missing(request)? {
            return Ok(());
        }
        let annotated = match annotation(request, REQUIRED_PLUGINS_ANNOTATION) {
            Some(value) => parse_list(value).map_err(|reason| {
                Rejection::annotation(REQUIRED_PLUGINS_ANNOTATION, value, &reason)
            })?,
            None => Vec::new(),
        };
        let required = self.required_plugins.iter().chain(&annotated);
        let missing: Vec<&str> =
            required.filter(|name| !is_present(request, name)).map(String::as_str).collect();
        let verb = match missing[..] {
            [] => return Ok(()),
            [_] => "is",
            [_, _, ..] => "are",
        };
        let plugins = name_all(missing.into_iter());
        Err(Rejection(format!("required {plugins} {verb} not present")))
    }

    fn tolerates_missing(&self, request: &Request) -> Result<bool, Rejection> {
        let key = &self.tolerate_missing_annotation;
        if key.is_empty() {
            return Ok(false);
        }
        match annotation(request, key) {
            Some(value) => {
                parse_bool(value).map_err(|reason| Rejection::annotation(key, value, reason))
            }
            None => Ok(false),
        }
    }

    fn check_sysctls(&self, request: &Request) -> Result<(), Rejection> {
        let linux = request.adjust.as_ref().and_then(|adjust| adjust.linux.as_ref());
        let (true, Some(linux)) = (self.reject_sysctls, linux) else {
            return Ok(());
        };
        let Some(owners) = entry_owners(request, Field::Sysctl) else {
            return Ok(());
        };
        let mut plugins: Vec<&str> =
            linux.sysctl.keys().filter_map(|key| owners.get(key).map(String::as_str)).collect();
        plugins.dedup();
        if plugins.is_empty() {
            return Ok(());
        }
        let setters = name_all(plugins.into_iter());
        Err(Rejection::forbidden(format!("{setters} set sysctls")))
    }
}

/// Returns the owners of the container's fields, unless nothing was adjusted.
fn owners(request: &Request) -> Option<&FieldOwners> {
    let container = request.container.as_ref().map_or("", |container| &container.id);
    request.owners.as_ref()?.owners.get(container)
}

fn owner(request: &Request, field: Field) -> Option<&str> {
    request.adjust.as_ref()?;
    owners(request)?.simple.get(&(field as i32)).map(String::as_str)
}

/// Returns the owners of the entries of a list or map, by the key of the entry.
fn entry_owners(request: &Request, field: Field) -> Option<&BTreeMap<String, String>> {
    let owners = owners(request)?.compound.get(&(field as i32))?;
    Some(&owners.owners)
}

fn seccomp_profile(request: &Request) -> Option<&SecurityProfile> {
    let linux = request.container.as_ref()?.linux.as_ref()?;
    linux.seccomp_profile.as_ref()
}

fn name_all<'p>(plugins: impl Iterator<Item = &'p str>) -> String {
    let names: Vec<_> = plugins.map(|name| format!("{name:?}")).collect();
    let noun = if names.len() == 1 { "plugin" } else { "plugins" };
    format!("{noun} {}", names.join(", "))
}

fn annotation<'r>(request: &'r Request, key: &str) -> Option<&'r str> {
    let container = request.container.as_ref().map_or("", |container| &container.name);
    request.pod.as_ref()?.annotation_for(key, container)
}

/// Returns true if a plugin of this name, or of this index and name, took part.
fn is_present(request: &Request, required: &str) -> bool {
    request.plugins.iter().any(|plugin| {
        plugin.name == required || format!("{}-{}", plugin.index, plugin.name) == required
    })
}

/// Parses a boolean in the spellings that Go's `strconv.ParseBool` accepts.
fn parse_bool(value: &str) -> Result<bool, &'static str> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("expected true or false"),
    }
}

/// Parses a YAML list of names. An empty document is an empty list.
fn parse_list(value: &str) -> Result<Vec<String>, String> {
    if value.len() > MAX_LIST {
        return Err(format!("longer than {MAX_LIST} bytes"));
    }
    match serde_yaml_ng::from_str(value).map_err(|error| error.to_string())? {
        Value::Null => Ok(Vec::new()),
        Value::Sequence(entries) => entries.into_iter().map(name).collect(),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Mapping(_)
        | Value::Tagged(_) => Err("expected a list of plugin names".to_owned()),
    }
}

fn name(entry: Value) -> Result<String, String> {
    match entry {
        Value::String(name) => Ok(name),
        Value::Null => Ok(String::new()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(value) => Ok(value.to_string()),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => {
            Err("expected a list of plugin names, found an entry that is not a name".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_every_yaml_form() {
        for list in ["[a, 10-b]", "- a\n- 10-b\n", "[\"a\", '10-b']"] {
            assert_eq!(parse_list(list).unwrap(), ["a", "10-b"], "{list}");
        }
        for empty in ["", "[]", "~", "# none\n"] {
            assert!(parse_list(empty).unwrap().is_empty(), "{empty}");
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        for value in ["a", "a: b", "[a: b]", "[[a]]", "[a", "3", "- - a"] {
            assert!(parse_list(value).is_err(), "{value}");
        }
        let long = format!("[{}]", "a,".repeat(MAX_LIST));
        assert!(parse_list(&long).is_err());
        let bomb = "[".repeat(100_000);
        assert!(parse_list(&bomb).is_err());
    }
}
