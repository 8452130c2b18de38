//! Injects the devices, mounts and CDI devices that annotations of the pod request, and sets the
//! I/O priority.
//!
//! The annotations are those of the plugin of the same name in the NRI project, so that its pods
//! run with this plugin: `devices.noderesource.dev`, `mounts.noderesource.dev`,
//! `cdi-devices.noderesource.dev` and `io-priority.noderesource.dev`, each followed by
//! `/container.NAME` for one container or by `/pod`, or nothing, for all of them:
//!
//! ```yaml
//! annotations:
//!   devices.noderesource.dev/container.main: |
//!     - path: /dev/fuse
//!       type: c
//!       major: 10
//!       minor: 229
//!       file_mode: 0666
//!   mounts.noderesource.dev/pod: |
//!     - source: /srv/models
//!       destination: /models
//!       type: bind
//!       options: [rbind, ro]
//!   cdi-devices.noderesource.dev/container.main: |
//!     - example.com/accelerator=0
//!   io-priority.noderesource.dev/pod: |
//!     class: IOPRIO_CLASS_BE
//!     priority: 4
//! ```
//!
//! The older keys, such as `devices.nri.io`, are read if the newer key with the same ending is
//! absent. An annotation that cannot be read is an error: a container that lacks a device would
//! fail later, with a less helpful message.
//!
//! `--http ADDRESS` serves `/healthz`, `/readyz` and `/metrics` for the probes of a DaemonSet and
//! for Prometheus.

mod request;
#[cfg(test)]
mod tests;

use nri::prelude::*;
use tracing::info;

const ABOUT: &str = "An NRI plugin that injects the devices and mounts that annotations request.";

struct DeviceInjector;

#[nri::plugin(name = "device-injector", index = "10", required(CreateContainer))]
impl DeviceInjector {
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        let mut adjustment = Adjustment::new();
        for device in request::devices(&pod, &container.name)? {
            info!("{}: device {}", container.full_name(&pod), device.path);
            adjustment = adjustment.device(device);
        }
        for mount in request::mounts(&pod, &container.name)? {
            info!("{}: mount {}", container.full_name(&pod), mount.destination);
            adjustment = adjustment.mount(mount);
        }
        if let Some(priority) = request::io_priority(&pod, &container.name)? {
            info!("{}: I/O priority", container.full_name(&pod));
            adjustment = adjustment.io_priority(priority);
        }
        for name in request::cdi_devices(&pod, &container.name)? {
            info!("{}: CDI device {name}", container.full_name(&pod));
            adjustment = adjustment.cdi_device(name);
        }
        Ok(adjustment)
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run(ABOUT, DeviceInjector)
}
