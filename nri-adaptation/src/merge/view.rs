//! The container as the next plugin sees it.
//!
//! Plugins and validators may rely on some messages in a request that are present, if only empty.
//! The adaptation of Go adds them before it asks the first plugin (`collectCreateContainerResult`
//! and `collectUpdateContainerResult` in pkg/adaptation/result.go of NRI v0.12.5), and plugins that
//! read fields without getters end without them.

use std::collections::BTreeMap;

use super::key_table::KeyTable;
use super::owners::{Owner, Owners};
use nri::api::{Container, ContainerAdjustment, Field, LinuxResources};

/// The container as the next plugin sees it: as requested, with the changes of the plugins so far.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) container: Container,
    pub(super) unowned: Unowned,
}

/// The numbers of leading entries of lists that have no owner: those of the request that no plugin
/// replaced.
///
/// The entries that plugins have set follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Unowned {
    pub(super) mounts: usize,
    pub(super) env: usize,
    pub(super) rlimits: usize,
    pub(super) devices: usize,
    pub(super) namespaces: usize,
}

impl View {
    /// Returns the container as the first plugin sees it.
    pub(super) fn of(container: Container) -> Self {
        let linux = container.linux.as_ref();
        let unowned = Unowned {
            mounts: container.mounts.len(),
            env: container.env.len(),
            rlimits: container.rlimits.len(),
            devices: linux.map_or(0, |linux| linux.devices.len()),
            namespaces: linux.map_or(0, |linux| linux.namespaces.len()),
        };
        View { container, unowned }
    }

    /// Moves what plugins have set into their adjustment, where only the view has it.
    pub(super) fn finish(self, adjustment: &mut ContainerAdjustment, owners: &Owners) {
        let View { container, unowned } = self;
        let owned = |field| owners.owned(&container.id, field);
        move_owned(container.annotations, owned(Field::Annotations), &mut adjustment.annotations);
        move_tail(container.mounts, unowned.mounts, &mut adjustment.mounts);
        move_tail(container.rlimits, unowned.rlimits, &mut adjustment.rlimits);
        if let (Some(linux), Some(adjustment)) = (container.linux, &mut adjustment.linux) {
            move_tail(linux.devices, unowned.devices, &mut adjustment.devices);
            move_owned(linux.sysctl, owned(Field::Sysctl), &mut adjustment.sysctl);
            move_owned(
                linux.net_devices,
                owned(Field::LinuxNetDevices),
                &mut adjustment.net_devices,
            );
        }
    }
}

/// Moves the entries after the first `unowned`.
fn move_tail<T>(mut entries: Vec<T>, unowned: usize, target: &mut Vec<T>) {
    entries.drain(..unowned);
    if target.is_empty() {
        *target = entries;
    } else {
        target.append(&mut entries);
    }
}

/// Moves the entries that have an owner.
fn move_owned<V>(
    mut entries: BTreeMap<String, V>,
    owned: Option<&KeyTable<Owner>>,
    target: &mut BTreeMap<String, V>,
) {
    entries.retain(|key, _| owned.is_some_and(|owned| owned.contains(key)));
    target.append(&mut entries);
}

/// Returns a container that is about to be created with hooks, and with Linux resources of memory
/// and CPU.
pub(crate) fn filled(mut container: Container) -> Container {
    container.hooks.get_or_insert_default();
    let linux = container.linux.get_or_insert_default();
    fill_resources(linux.resources.get_or_insert_default());
    container
}

/// Adds hooks, and Linux resources of memory and CPU, to the adjustment that validators get.
pub(super) fn fill_adjustment(adjustment: &mut ContainerAdjustment) {
    adjustment.hooks.get_or_insert_default();
    let linux = adjustment.linux.get_or_insert_default();
    fill_resources(linux.resources.get_or_insert_default());
}

/// Adds memory and CPU to the resources of an update.
pub(super) fn fill_resources(resources: &mut LinuxResources) {
    resources.memory.get_or_insert_default();
    resources.cpu.get_or_insert_default();
}
