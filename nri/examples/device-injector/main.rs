//! Gives containers the devices, mounts and CDI devices that annotations of their pod ask for.
//!
//! The annotations are those of the sample of the same name in the NRI project, so that its pods run with this plugin:
//! `devices.noderesource.dev`, `mounts.noderesource.dev` and `cdi-devices.noderesource.dev`, each followed by
//! `/container.NAME` for one container or by `/pod` for all of them, with a list in YAML as value:
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
//! ```
//!
//! The older keys, `devices.nri.io` and so on, are read where there are no newer ones. A list that cannot be read is an error: a container without what it asks for would fail later, and tell less.

#[path = "../common/mod.rs"]
mod common;
mod request;

use common::Flags;
use nri::prelude::*;
use tracing::{Level, info};

const ABOUT: &str =
    "An NRI plugin that gives containers the devices and mounts that annotations ask for.";

#[derive(NriPlugin)]
#[nri(name = "device-injector", index = "10", required(CREATE_CONTAINER))]
struct DeviceInjector;

impl CreateContainer for DeviceInjector {
    async fn create_container(
        &self,
        _: &Context,
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
        for name in request::cdi_devices(&pod, &container.name)? {
            info!("{}: CDI device {name}", container.full_name(&pod));
            adjustment = adjustment.cdi_device(name);
        }
        Ok(adjustment)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let Some(flags) = Flags::parse(ABOUT, "", |_, _| Ok(false))? else {
        return Ok(());
    };
    common::log(Level::INFO);
    flags.stub(DeviceInjector).run().await
}
