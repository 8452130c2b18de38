//! What plugins and validators may rely on in a request: messages that are present, if only empty.
//!
//! The adaptation of Go adds them before it asks the first plugin
//! (`collectCreateContainerResult` and `collectUpdateContainerResult` in pkg/adaptation/result.go of
//! NRI v0.12.5), and plugins that read fields without getters end without them.

use nri::api::{Container, ContainerAdjustment, LinuxResources};

/// Returns a container that is about to be created with hooks, and with Linux resources of memory and
/// CPU.
pub(crate) fn filled(mut container: Container) -> Container {
    container.hooks.get_or_insert_default();
    let linux = container.linux.get_or_insert_default();
    resources(linux.resources.get_or_insert_default());
    container
}

/// Adds hooks, and Linux resources of memory and CPU, to the adjustment that validators get.
pub(super) fn adjustment(adjustment: &mut ContainerAdjustment) {
    adjustment.hooks.get_or_insert_default();
    let linux = adjustment.linux.get_or_insert_default();
    resources(linux.resources.get_or_insert_default());
}

/// Adds memory and CPU to the resources of an update.
pub(super) fn resources(resources: &mut LinuxResources) {
    resources.memory.get_or_insert_default();
    resources.cpu.get_or_insert_default();
}
