//! The NUMA policy for the memory of the container.

use oci_spec::runtime::{
    LinuxMemoryPolicy as OciPolicy, MemoryPolicyFlagType, MemoryPolicyModeType, Spec,
};

use crate::oci::error::Error;
use crate::oci::names::{number, some};
use crate::oci::parts;
use nri::api::{LinuxMemoryPolicy, MpolFlag, MpolMode};

/// Replaces the policy of the spec.
pub(super) fn apply(spec: &mut Spec, asked: Option<&LinuxMemoryPolicy>) -> Result<(), Error> {
    let Some(LinuxMemoryPolicy { mode, nodes, flags }) = asked else {
        return Ok(());
    };
    let mode = number(*mode, || "linux.memory_policy.mode".to_owned()).map(oci_mode)?;
    let flags = flags.iter().enumerate();
    let flags: Result<_, _> = flags
        .map(|(index, flag)| {
            number(*flag, || format!("linux.memory_policy.flags[{index}]")).map(oci_flag)
        })
        .collect();
    let mut policy = OciPolicy::default();
    policy
        .set_mode(mode)
        .set_nodes(Some(nodes.clone()))
        .set_flags(some(flags?));
    parts::linux(spec).set_memory_policy(Some(policy));
    Ok(())
}

fn oci_mode(mode: MpolMode) -> MemoryPolicyModeType {
    match mode {
        MpolMode::MpolDefault => MemoryPolicyModeType::MpolDefault,
        MpolMode::MpolPreferred => MemoryPolicyModeType::MpolPreferred,
        MpolMode::MpolBind => MemoryPolicyModeType::MpolBind,
        MpolMode::MpolInterleave => MemoryPolicyModeType::MpolInterleave,
        MpolMode::MpolLocal => MemoryPolicyModeType::MpolLocal,
        MpolMode::MpolPreferredMany => MemoryPolicyModeType::MpolPreferredMany,
        MpolMode::MpolWeightedInterleave => MemoryPolicyModeType::MpolWeightedInterleave,
    }
}

fn oci_flag(flag: MpolFlag) -> MemoryPolicyFlagType {
    match flag {
        MpolFlag::MpolFStaticNodes => MemoryPolicyFlagType::MpolFStaticNodes,
        MpolFlag::MpolFRelativeNodes => MemoryPolicyFlagType::MpolFRelativeNodes,
        MpolFlag::MpolFNumaBalancing => MemoryPolicyFlagType::MpolFNumaBalancing,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::oci::fixtures::{applied, raw, spec};
    use nri::api::{ContainerAdjustment, LinuxContainerAdjustment};

    #[test]
    fn every_mode_and_flag_has_the_name_of_the_specification() {
        let modes = (0..).map_while(|number| MpolMode::try_from(number).ok());
        let flags: Vec<_> = (0..)
            .map_while(|number| MpolFlag::try_from(number).ok())
            .collect();
        for mode in modes {
            let policy = LinuxMemoryPolicy {
                mode: mode.into(),
                nodes: "0-3".to_owned(),
                flags: flags.iter().map(|flag| i32::from(*flag)).collect(),
            };
            let after = applied(spec(json!({})), &raw(asking(policy))).unwrap();
            let names: Vec<_> = flags.iter().map(|flag| flag.as_str_name()).collect();
            assert_eq!(
                after["linux"]["memoryPolicy"],
                json!({"mode": mode.as_str_name(), "nodes": "0-3", "flags": names})
            );
        }
    }

    #[test]
    fn numbers_that_the_protocol_does_not_have_are_errors() {
        for (mode, flags, field) in [(99, vec![], "mode"), (1, vec![0, -1], "flags[1]")] {
            let policy = LinuxMemoryPolicy {
                mode,
                flags,
                ..Default::default()
            };
            let error = applied(spec(json!({})), &raw(asking(policy))).unwrap_err();
            assert_eq!(error.field(), format!("linux.memory_policy.{field}"));
        }
    }

    fn asking(policy: LinuxMemoryPolicy) -> ContainerAdjustment {
        ContainerAdjustment {
            linux: Some(LinuxContainerAdjustment {
                memory_policy: Some(policy),
                ..LinuxContainerAdjustment::default()
            }),
            ..ContainerAdjustment::default()
        }
    }
}
