//! Rejects containers with adjustments that the configuration of the node forbids, and containers
//! for which a required plugin is missing: the default validator of runtimes, as an external
//! plugin.
//!
//! The configuration, which the runtime sends or `--config FILE` names, is that of the validator in
//! the NRI project. Each key may be left out:
//!
//! ```yaml
//! enable: true
//! rejectOCIHookAdjustment: true
//! rejectRuntimeDefaultSeccompAdjustment: true
//! rejectUnconfinedSeccompAdjustment: true
//! rejectCustomSeccompAdjustment: true
//! rejectNamespaceAdjustment: true
//! rejectSysctlAdjustment: true
//! requiredPlugins: [topology]
//! tolerateMissingPluginsAnnotation: tolerate.example.com
//! ```
//!
//! A pod requires further plugins for a container with the annotation
//! `required-plugins.noderesource.dev/container.NAME`, a list in YAML.

use std::sync::{Mutex, PoisonError};

use nri::api::ValidateContainerAdjustmentRequest;
use nri::cli::Cli;
use nri::prelude::*;
use nri_adaptation::validate::DefaultValidator;
use serde::Deserialize;
use tracing::{debug, warn};

const ABOUT: &str = "An NRI plugin that rejects adjustments which the node forbids.";

struct Validator {
    /// The rules; `None` if validation is disabled.
    rules: Mutex<Option<DefaultValidator>>,
}

/// The configuration, with the keys of the NRI project.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Rules {
    enable: bool,
    #[serde(rename = "rejectOCIHookAdjustment")]
    reject_oci_hook_adjustment: bool,
    reject_runtime_default_seccomp_adjustment: bool,
    reject_unconfined_seccomp_adjustment: bool,
    reject_custom_seccomp_adjustment: bool,
    reject_namespace_adjustment: bool,
    reject_sysctl_adjustment: bool,
    required_plugins: Vec<String>,
    tolerate_missing_plugins_annotation: String,
}

impl Rules {
    /// Returns the validator with these rules, or `None` if they are disabled.
    fn validator(self) -> Option<DefaultValidator> {
        let validator = DefaultValidator::default()
            .reject_oci_hooks(self.reject_oci_hook_adjustment)
            .reject_runtime_default_seccomp(self.reject_runtime_default_seccomp_adjustment)
            .reject_unconfined_seccomp(self.reject_unconfined_seccomp_adjustment)
            .reject_custom_seccomp(self.reject_custom_seccomp_adjustment)
            .reject_namespaces(self.reject_namespace_adjustment)
            .reject_sysctls(self.reject_sysctl_adjustment)
            .tolerate_missing_annotation(self.tolerate_missing_plugins_annotation);
        let required = self.required_plugins.into_iter();
        self.enable.then(|| required.fold(validator, DefaultValidator::require_plugin))
    }
}

impl Validator {
    /// Returns a validator without rules, which honors only the annotations of pods.
    fn new() -> Self {
        Validator { rules: Mutex::new(Some(DefaultValidator::default())) }
    }

    fn set_rules(&self, rules: Rules) {
        let validator = rules.validator();
        if validator.is_none() {
            warn!("the configuration does not enable validation: every adjustment is accepted");
        }
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = validator;
    }
}

#[nri::plugin(name = "default-validator", index = "00", required(ValidateContainerAdjustment))]
impl Validator {
    async fn configure(&self, config: Config) -> nri::Result<Subscription> {
        if !config.is_empty() {
            self.set_rules(config.parse_with(serde_yaml_ng::from_str)?);
        }
        Ok(Subscription::Handled)
    }

    async fn validate_container_adjustment(
        &self,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let name = request.container().full_name(request.pod());
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rules) = &*rules else {
            return Ok(Verdict::Accept);
        };
        Ok(match rules.validate(&request) {
            Ok(()) => {
                debug!("{name} is accepted");
                Verdict::Accept
            }
            Err(rejection) => {
                warn!("{name} is rejected: {rejection}");
                Verdict::reject(rejection.to_string())
            }
        })
    }
}

fn main() -> nri::Result<()> {
    let cli = Cli::new(ABOUT).with_config();
    let Some(flags) = cli.parse()? else {
        return Ok(());
    };
    let validator = Validator::new();
    if let Some(text) = flags.read_config()? {
        let rules = serde_yaml_ng::from_str(&text).map_err(|error| {
            nri::Error::with_kind(nri::ErrorKind::Config, format!("--config: {error}"))
        })?;
        validator.set_rules(rules);
    }
    nri::block_on(flags.run(validator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::adjust::HookStage;
    use nri::api::{Hook, Hooks};
    use nri_testing::{self as testing, ContainerFixture, pod};

    /// Adds a hook and a sysctl to containers.
    #[derive(NriPlugin)]
    #[nri(name = "hooker", index = "20")]
    struct Hooker;

    impl CreateContainer for Hooker {
        async fn create_container(
            &self,
            _: &EventContext,
            _: PodSandbox,
            _: Container,
        ) -> nri::Result<Adjustment> {
            let hooks = Hooks::default().with(HookStage::Poststop, Hook::new("/bin/true"));
            let adjustment = Adjustment::new().hooks(hooks);
            Ok(adjustment.sysctl("net.core.somaxconn", "1024"))
        }
    }

    /// Returns the error for a container that the hooker adjusts, or an empty text.
    async fn rejection(config: &str, app: ContainerFixture) -> String {
        let settings = testing::Runtime::new().config(config);
        let mut runtime = settings.start(Validator::new()).await.unwrap();
        runtime.add_plugin(Hooker).await.unwrap();
        let created = runtime.create_in_pod(app).await;
        created.err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn app() -> ContainerFixture {
        pod("web").container("app")
    }

    #[tokio::test]
    async fn the_configuration_forbids_adjustments() {
        let hooks = rejection("{enable: true, rejectOCIHookAdjustment: true}", app()).await;
        assert!(hooks.contains("20-hooker") && hooks.contains("OCI hooks"), "{hooks}");
        let sysctls = rejection("{enable: true, rejectSysctlAdjustment: true}", app()).await;
        assert!(sysctls.contains("set sysctls"), "{sysctls}");
        for config in [
            "",
            "{enable: true, rejectNamespaceAdjustment: true}",
            "{enable: false, rejectOCIHookAdjustment: true}",
            "rejectOCIHookAdjustment: true",
        ] {
            assert_eq!(rejection(config, app()).await, "", "{config}");
        }
    }

    #[tokio::test]
    async fn plugins_may_be_required_and_tolerated() {
        let config = "{enable: true, requiredPlugins: [topology], tolerateMissingPluginsAnnotation: tolerate.example.com}";
        let missing = rejection(config, app()).await;
        assert!(missing.contains("required plugin \"topology\" is not present"), "{missing}");
        let tolerant = pod("web").annotation("tolerate.example.com/container.app", "true");
        assert_eq!(rejection(config, tolerant.container("app")).await, "");
        let web = pod("web").annotation("required-plugins.noderesource.dev", "[hooker, numa]");
        let annotated = rejection("", web.container("app")).await;
        assert!(annotated.contains("numa") && !annotated.contains("hooker"), "{annotated}");
    }

    #[tokio::test]
    async fn a_wrong_configuration_ends_the_plugin() {
        let settings = testing::Runtime::new().config("{enable: true, rejectHooks: true}");
        let error = settings.start(Validator::new()).await.unwrap_err();
        assert!(error.to_string().contains("rejectHooks"), "{error}");
    }
}
