//! The built-in validator: a policy of the runtime over what plugins may adjust, and which plugins must be there.

mod parse;
mod required;

pub use required::REQUIRED_PLUGINS_ANNOTATION;

use nri::api::security_profile::ProfileType;
use nri::api::{
    Field, FieldOwners, SecurityProfile, ValidateContainerAdjustmentRequest as Request,
};

/// Rejects adjustments that the runtime's configuration forbids, and containers that miss a required plugin.
///
/// The same checks, in the same order, as the default validator of the reference
/// (`plugins/default-validator` of `github.com/containerd/nri` v0.12.5). Nothing is forbidden by default.
///
/// ```
/// use nri_adaptation::validate::DefaultValidator;
/// use nri::api::ValidateContainerAdjustmentRequest;
///
/// let validator = DefaultValidator {
///     required_plugins: vec!["topology".to_owned()],
///     ..DefaultValidator::default()
/// };
/// let rejection = validator.validate(&ValidateContainerAdjustmentRequest::default());
/// assert_eq!(
///     rejection.unwrap_err().to_string(),
///     r#"required plugin "topology" is not present"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The key of the pod annotation that, if true, tolerates the absence of required plugins. None if empty.
    pub tolerate_missing_annotation: String,
}

/// Why an adjustment is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Plugins added OCI hooks.
    #[error("{plugins} added OCI hooks, which the runtime's configuration forbids", plugins = name_all(.0))]
    OciHooks(Vec<String>),
    /// A plugin set a seccomp policy.
    #[error(
        "plugin {plugin:?} changed the {policy} seccomp policy, which the runtime's configuration forbids"
    )]
    Seccomp {
        /// The plugin, with its index.
        plugin: String,
        /// The policy that it changed: `unconfined`, `runtime default` or `custom`.
        policy: &'static str,
    },
    /// Plugins changed namespaces: pairs of plugin and type of namespace.
    #[error("{changes}, which the runtime's configuration forbids", changes = name_namespaces(.0))]
    Namespaces(Vec<(String, String)>),
    /// Plugins set sysctls.
    #[error("{plugins} set sysctls, which the runtime's configuration forbids", plugins = name_all(.0))]
    Sysctls(Vec<String>),
    /// Required plugins are not connected.
    #[error("required {plugins} not present", plugins = name_missing(.0))]
    MissingPlugins(Vec<String>),
    /// An annotation of the pod cannot be read.
    #[error("invalid annotation {key} with value {value:?}: {reason}")]
    Annotation {
        /// The key of the annotation.
        key: String,
        /// The value of the annotation.
        value: String,
        /// The reason why it is invalid.
        reason: String,
    },
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
            Some(owners) => Err(Rejection::OciHooks(
                owners.split(',').map(str::to_owned).collect(),
            )),
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
            Some(ProfileType::Localhost) => (self.reject_custom_seccomp, "custom"),
        };
        if !rejected {
            return Ok(());
        }
        let plugin = plugin.to_owned();
        Err(Rejection::Seccomp { plugin, policy })
    }

    fn check_namespaces(&self, request: &Request) -> Result<(), Rejection> {
        if !self.reject_namespaces || request.adjust.is_none() {
            return Ok(());
        }
        let owners =
            owners(request).and_then(|owners| owners.compound.get(&(Field::Namespace as i32)));
        let Some(owners) = owners else {
            return Ok(());
        };
        let owners = owners.owners.iter();
        let changes = owners.map(|(kind, plugin)| (plugin.clone(), kind.clone()));
        Err(Rejection::Namespaces(changes.collect()))
    }

    fn check_sysctls(&self, request: &Request) -> Result<(), Rejection> {
        let linux = request
            .adjust
            .as_ref()
            .and_then(|adjust| adjust.linux.as_ref());
        let (true, Some(linux)) = (self.reject_sysctls, linux) else {
            return Ok(());
        };
        let owners =
            owners(request).and_then(|owners| owners.compound.get(&(Field::Sysctl as i32)));
        let keys = linux.sysctl.keys();
        let mut plugins: Vec<String> = keys
            .filter_map(|key| owners?.owners.get(key).cloned())
            .collect();
        plugins.dedup();
        if plugins.is_empty() {
            return Ok(());
        }
        Err(Rejection::Sysctls(plugins))
    }
}

/// Returns the owners of the container's fields, unless nothing was adjusted.
fn owners(request: &Request) -> Option<&FieldOwners> {
    let container = request
        .container
        .as_ref()
        .map_or("", |container| &container.id);
    request.owners.as_ref()?.owners.get(container)
}

fn owner(request: &Request, field: Field) -> Option<&str> {
    request.adjust.as_ref()?;
    owners(request)?
        .simple
        .get(&(field as i32))
        .map(String::as_str)
}

fn seccomp_profile(request: &Request) -> Option<&SecurityProfile> {
    let linux = request.container.as_ref()?.linux.as_ref()?;
    linux.seccomp_profile.as_ref()
}

fn name_all(plugins: &[String]) -> String {
    match plugins {
        [plugin] => format!("plugin {plugin:?}"),
        plugins => format!("plugins {}", quote_all(plugins)),
    }
}

fn name_missing(plugins: &[String]) -> String {
    match plugins {
        [plugin] => format!("plugin {plugin:?} is"),
        plugins => format!("plugins {} are", quote_all(plugins)),
    }
}

fn name_namespaces(changes: &[(String, String)]) -> String {
    let changes = changes.iter();
    let changes =
        changes.map(|(plugin, kind)| format!("plugin {plugin:?} changed the {kind} namespace"));
    changes.collect::<Vec<_>>().join(", ")
}

fn quote_all(names: &[String]) -> String {
    let names = names.iter().map(|name| format!("{name:?}"));
    names.collect::<Vec<_>>().join(", ")
}
