//! Rejects containers that other plugins changed in ways that this node does not allow.
//!
//! The event is required (NRI v0.10.0 or newer), because a validator that is never called would
//! look like one that accepts everything.

use lexopt::ValueExt;
use nri::api::{ContainerAdjustment, Hooks, ValidateContainerAdjustmentRequest};
use nri::cli::Cli;
use nri::prelude::*;
use tracing::info;

const ABOUT: &str =
    "An NRI plugin that rejects containers with adjustments that are forbidden on this node.";

const HELP: &str = concat!(
    "      --deny PART,…   parts that no plugin may change: annotations, args, cdi-devices, \
         devices, env, hooks,\n",
    "                      mounts, namespaces, rlimits, seccomp, sysctl [default: hooks,seccomp]\n",
);

struct Validator {
    denied: Vec<Part>,
}

/// A part of an adjustment: its name, and whether an adjustment has it.
type Part = (&'static str, fn(&ContainerAdjustment) -> bool);

const PARTS: &[Part] = &[
    ("annotations", |adjust| !adjust.annotations.is_empty()),
    ("args", |adjust| !adjust.args.is_empty()),
    ("cdi-devices", |adjust| !adjust.cdi_devices.is_empty()),
    ("devices", |adjust| adjust.linux.iter().any(|linux| !linux.devices.is_empty())),
    ("env", |adjust| !adjust.env.is_empty()),
    // Without hooks, runtimes send an empty set of them.
    ("hooks", |adjust| adjust.hooks.iter().any(|hooks| *hooks != Hooks::default())),
    ("mounts", |adjust| !adjust.mounts.is_empty()),
    ("namespaces", |adjust| adjust.linux.iter().any(|linux| !linux.namespaces.is_empty())),
    ("rlimits", |adjust| !adjust.rlimits.is_empty()),
    ("seccomp", |adjust| adjust.linux.iter().any(|linux| linux.seccomp_policy.is_some())),
    ("sysctl", |adjust| adjust.linux.iter().any(|linux| !linux.sysctl.is_empty())),
];

#[nri::plugin(name = "validator", index = "90", required(ValidateContainerAdjustment))]
impl Validator {
    async fn validate_container_adjustment(
        &self,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let adjust = request.adjust.unwrap_or_default();
        let found: Vec<_> =
            self.denied.iter().filter(|(_, is_in)| is_in(&adjust)).map(|(name, _)| *name).collect();
        if found.is_empty() {
            return Ok(Verdict::Accept);
        }
        let container = request.container.unwrap_or_default();
        let plugins: Vec<_> =
            request.plugins.iter().map(|it| format!("{}-{}", it.index, it.name)).collect();
        let reason = format!(
            "changed by plugins ({}) and not allowed here: {}",
            plugins.join(", "),
            found.join(", ")
        );
        info!("{} refused: {reason}", container.full_name(&request.pod.unwrap_or_default()));
        Ok(Verdict::reject(reason))
    }
}

fn parts(names: &str) -> Result<Vec<Part>, String> {
    let part = |name: &str| PARTS.iter().find(|(part, _)| *part == name).copied();
    names
        .split(',')
        .map(|name| part(name).ok_or_else(|| format!("{name} is not part of an adjustment")))
        .collect()
}

fn main() -> nri::Result<()> {
    let mut denied = parts("hooks,seccomp")?;
    let own = |name: &str, parser: &mut lexopt::Parser| {
        if name == "deny" {
            denied = parser.value()?.parse_with(parts)?;
        }
        Ok(name == "deny")
    };
    let Some(flags) = Cli::new(ABOUT).with_help(HELP).parse_with(own)? else {
        return Ok(());
    };
    nri::block_on(flags.run(Validator { denied }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, pod};

    /// Adds a variable, an annotation and a sysctl to containers.
    #[derive(NriPlugin)]
    #[nri(name = "adder", index = "20")]
    struct Adder;

    impl CreateContainer for Adder {
        async fn create_container(
            &self,
            _: &EventContext,
            _: PodSandbox,
            _: Container,
        ) -> nri::Result<Adjustment> {
            let adjustment = Adjustment::new().env("A", "1").annotation("b", "2");
            Ok(adjustment.sysctl("net.core.somaxconn", "1024"))
        }
    }

    /// Returns the error for a container that the adder adjusts, or an empty text.
    async fn rejection(denied: &str) -> String {
        let denied = parts(denied).unwrap();
        let mut runtime = testing::Runtime::new().start(Validator { denied }).await.unwrap();
        runtime.add_plugin(Adder).await.unwrap();
        let created = runtime.create_in_pod(pod("web").container("app")).await;
        created.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[tokio::test]
    async fn denied_parts_are_rejected() {
        assert_eq!(rejection("hooks,seccomp,mounts,devices").await, "");
        let error = rejection("env,hooks,sysctl").await;
        assert!(
            error.contains("20-adder") && error.contains("not allowed here: env, sysctl"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_runtime_that_never_asks_is_refused() {
        let old = testing::Runtime::new().speaking("v0.8.0");
        let denied = parts("hooks").unwrap();
        assert!(old.start(Validator { denied }).await.is_err());
    }

    #[test]
    fn every_part_has_a_name() {
        let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(parts(&names.join(",")).unwrap().len(), PARTS.len());
        assert_eq!(parts("hook").unwrap_err(), "hook is not part of an adjustment");
    }
}
