//! Checks an answer for anything that the runtime would reject or that would make the container
//! fail to start, while the author can still see the reason.
//!
//! One function per rule; its comment says which component would fail and how. Sources: the
//! reference adaptation (conflicts, v0.12.5), the OCI runtime specification, and the manual pages
//! named.

mod entries;
mod linux;

use crate::adjust::{Adjustment, Invalid, ProblemKind, Updates};
use crate::api::ContainerAdjustment;
use entries::Entries;

impl Adjustment {
    /// Checks for problems that the runtime would reject, or that would make the container fail to
    /// start.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`] with every problem found. Conflicts with other plugins are not visible
    /// here.
    pub fn check(&self) -> Result<(), Invalid> {
        let mut entries = Entries::default();
        adjustment(&self.adjust, &mut entries);
        others(&self.others, &mut entries);
        entries.result()
    }
}

impl Updates {
    /// Checks for problems that the runtime would reject.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`] with every problem found.
    pub fn check(&self) -> Result<(), Invalid> {
        let mut entries = Entries::default();
        others(self, &mut entries);
        entries.result()
    }
}

fn adjustment(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("annotations");
    for (key, value) in &adjust.annotations {
        entries.removable(key, !value.is_empty());
    }
    mounts(adjust, entries);
    env(adjust, entries);
    args(adjust, entries);
    hooks(adjust, entries);
    if let Some(linux) = &adjust.linux {
        linux::check(linux, entries);
    }
    rlimits(adjust, entries);
    cdi_devices(adjust, entries);
}

/// Checks mounts: OCI runtimes reject a destination that is not absolute.
fn mounts(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("mounts");
    for mount in &adjust.mounts {
        let has_value =
            !(mount.source.is_empty() && mount.r#type.is_empty() && mount.options.is_empty());
        if let Some(destination) = entries.removable(&mount.destination, has_value) {
            entries.absolute(destination, destination);
        }
    }
}

/// Checks environment variables: execve(2) takes `name=value` strings that end at NUL, so a name
/// with `=` would set another variable.
fn env(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("env");
    for pair in &adjust.env {
        if let Some(name) = entries.removable(&pair.key, !pair.value.is_empty()) {
            for forbidden in ['=', '\0'] {
                let kind = ProblemKind::ForbiddenCharacter(forbidden);
                entries.require(!name.contains(forbidden), name, kind);
            }
            entries.require(!pair.value.contains('\0'), name, ProblemKind::Nul);
        }
    }
}

fn args(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("args");
    // The marker of "replace" without any arguments after it.
    entries.require(adjust.args != [""], "", ProblemKind::NoArgs);
    for arg in &adjust.args {
        entries.require(!arg.contains('\0'), arg, ProblemKind::Nul);
    }
}

/// Checks hooks: the OCI runtime specification requires absolute paths and timeouts above zero.
fn hooks(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("hooks");
    for (_, hook) in adjust.hooks.iter().flat_map(|hooks| hooks.iter()) {
        entries.named(&hook.path);
        entries.absolute(&hook.path, &hook.path);
        if let Some(timeout) = &hook.timeout {
            entries.range(&hook.path, timeout.value, 1, i64::MAX);
        }
    }
}

/// Checks resource limits: setrlimit(2) rejects a soft limit above the hard one, so the process
/// would never start.
fn rlimits(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("rlimits");
    for limit in &adjust.rlimits {
        let (soft, hard) = (limit.soft, limit.hard);
        entries.unique(&limit.r#type);
        let fact = format!("soft limit {soft} is higher than hard limit {hard}");
        let help = "lower the soft limit or raise the hard one";
        entries.consistent(soft <= hard, &limit.r#type, fact, help);
    }
}

/// Checks CDI devices: CDI resolves only qualified names, so the container would not be created.
fn cdi_devices(adjust: &ContainerAdjustment, entries: &mut Entries) {
    entries.field("CDI_devices");
    for device in &adjust.cdi_devices {
        let name = &device.name;
        entries.unique(name);
        entries.require(is_qualified(name), name, ProblemKind::Unqualified);
    }
}

fn is_qualified(name: &str) -> bool {
    let parts =
        name.split_once('=').and_then(|(kind, device)| Some((kind.split_once('/')?, device)));
    matches!(parts, Some(((vendor, class), device)) if !vendor.is_empty() && !class.is_empty() && !device.is_empty())
}

/// Checks updates and evictions of other containers. The updates of one container are merged, so setting the same value
/// twice is a conflict, but setting different values is fine.
fn others(others: &Updates, entries: &mut Entries) {
    for update in &others.update {
        entries.field("update");
        entries.named(&update.container_id);
        let linux = update.linux.as_ref();
        if let Some(resources) = linux.and_then(|linux| linux.resources.as_ref()) {
            linux::resources(resources, entries);
        }
    }
    entries.field("evict");
    for eviction in &others.evict {
        entries.unique(&eviction.container_id);
    }
}
