//! Resources of pods and containers.

use oci_spec::runtime::{
    LinuxCpu as OciCpu, LinuxDeviceCgroup as OciRule, LinuxMemory as OciMemory,
    LinuxResources as OciResources,
};

use super::{each, map};
use nri::api::{
    HugepageLimit, LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxPids, LinuxResources,
};
use nri::optional::Optional;

/// Returns the resources. Block I/O settings have no class any more, so that they are left out.
pub(super) fn resources(resources: &OciResources) -> LinuxResources {
    LinuxResources {
        memory: resources.memory().as_ref().map(memory),
        cpu: resources.cpu().as_ref().map(cpu),
        hugepage_limits: each(resources.hugepage_limits(), |it| HugepageLimit {
            page_size: it.page_size().clone(),
            limit: it.limit().try_into().unwrap_or_default(),
        }),
        blockio_class: None,
        rdt_class: None,
        unified: map(resources.unified()),
        devices: each(resources.devices(), rule),
        pids: resources.pids().as_ref().map(|pids| LinuxPids {
            limit: pids.limit(),
        }),
    }
}

fn memory(memory: &OciMemory) -> LinuxMemory {
    LinuxMemory {
        limit: Optional::of(memory.limit()),
        reservation: Optional::of(memory.reservation()),
        swap: Optional::of(memory.swap()),
        kernel: Optional::of(deprecated_kernel(memory)),
        kernel_tcp: Optional::of(memory.kernel_tcp()),
        swappiness: Optional::of(memory.swappiness()),
        disable_oom_killer: Optional::of(memory.disable_oom_killer()),
        use_hierarchy: Optional::of(memory.use_hierarchy()),
    }
}

#[allow(deprecated, reason = "specs may still have this limit")]
fn deprecated_kernel(memory: &OciMemory) -> Option<i64> {
    memory.kernel()
}

fn cpu(cpu: &OciCpu) -> LinuxCpu {
    LinuxCpu {
        shares: Optional::of(cpu.shares()),
        quota: Optional::of(cpu.quota()),
        period: Optional::of(cpu.period()),
        realtime_runtime: Optional::of(cpu.realtime_runtime()),
        realtime_period: Optional::of(cpu.realtime_period()),
        cpus: cpu.cpus().clone().unwrap_or_default(),
        mems: cpu.mems().clone().unwrap_or_default(),
    }
}

fn rule(rule: &OciRule) -> LinuxDeviceCgroup {
    LinuxDeviceCgroup {
        allow: rule.allow(),
        r#type: rule
            .typ()
            .map_or_else(String::new, |it| it.as_str().to_owned()),
        major: Optional::of(rule.major()),
        minor: Optional::of(rule.minor()),
        access: rule.access().clone().unwrap_or_default(),
    }
}
