//! Refuses containers that other plugins changed in ways that this node does not allow.
//!
//! Runs where the runtime knows the event, NRI v0.10.0 or newer: that is required, as a validator that is never asked would
//! look like one that accepts.

mod common;

use common::Flags;
use lexopt::ValueExt;
use nri::api::{ContainerAdjustment, ValidateContainerAdjustmentRequest};
use nri::prelude::*;
use tracing::{Level, info};

const ABOUT: &str =
    "An NRI plugin that refuses containers with what no plugin may add on this node.";

const HELP: &str = concat!(
    "      --deny PART,…   what no plugin may change: annotations, args, cdi-devices, devices, env, hooks,\n",
    "                      mounts, namespaces, rlimits, seccomp, sysctl [default: hooks,seccomp]\n",
);

#[derive(NriPlugin)]
#[nri(
    name = "validator",
    index = "90",
    required(VALIDATE_CONTAINER_ADJUSTMENT)
)]
struct Validator {
    denied: Vec<Part>,
}

/// A part of an adjustment: its name, and whether an adjustment has it.
type Part = (&'static str, fn(&ContainerAdjustment) -> bool);

const PARTS: &[Part] = &[
    ("annotations", |adjust| !adjust.annotations.is_empty()),
    ("args", |adjust| !adjust.args.is_empty()),
    ("cdi-devices", |adjust| !adjust.cdi_devices.is_empty()),
    ("devices", |adjust| {
        adjust.linux.iter().any(|linux| !linux.devices.is_empty())
    }),
    ("env", |adjust| !adjust.env.is_empty()),
    ("hooks", |adjust| adjust.hooks.is_some()),
    ("mounts", |adjust| !adjust.mounts.is_empty()),
    ("namespaces", |adjust| {
        adjust
            .linux
            .iter()
            .any(|linux| !linux.namespaces.is_empty())
    }),
    ("rlimits", |adjust| !adjust.rlimits.is_empty()),
    ("seccomp", |adjust| {
        adjust
            .linux
            .iter()
            .any(|linux| linux.seccomp_policy.is_some())
    }),
    ("sysctl", |adjust| {
        adjust.linux.iter().any(|linux| !linux.sysctl.is_empty())
    }),
];

impl ValidateContainerAdjustment for Validator {
    async fn validate_container_adjustment(
        &self,
        _: &Context,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let adjust = request.adjust.unwrap_or_default();
        let found = self.denied.iter().filter(|(_, is_in)| is_in(&adjust));
        let found: Vec<_> = found.map(|(name, _)| *name).collect();
        if found.is_empty() {
            return Ok(Verdict::Accept);
        }
        let container = request.container.unwrap_or_default();
        let plugins: Vec<_> = request
            .plugins
            .iter()
            .map(|it| format!("{}-{}", it.index, it.name))
            .collect();
        let reason = format!(
            "changed by plugins ({}) and not allowed here: {}",
            plugins.join(", "),
            found.join(", ")
        );
        info!(
            "{} refused: {reason}",
            container.full_name(&request.pod.unwrap_or_default())
        );
        Ok(Verdict::reject(reason))
    }
}

fn parts(names: &str) -> Result<Vec<Part>, String> {
    let part = |name: &str| PARTS.iter().find(|(part, _)| *part == name).copied();
    names
        .split(',')
        .map(|name| part(name).ok_or_else(|| format!("{name} is no part of an adjustment")))
        .collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let mut denied = parts("hooks,seccomp")?;
    let own = |name: &str, parser: &mut lexopt::Parser| {
        if name == "deny" {
            denied = parser.value()?.parse_with(parts)?;
        }
        Ok(name == "deny")
    };
    let Some(flags) = Flags::parse(ABOUT, HELP, own)? else {
        return Ok(());
    };
    common::log(Level::INFO);
    flags.stub(Validator { denied }).run().await
}
