//! Checks an answer for anything that the runtime would reject or that would make the container
//! fail to start, while the author can still see the reason.
//!
//! One function per rule; its comment says which component would fail and how. Sources: the
//! reference adaptation (conflicts, v0.12.5), the OCI runtime specification, and the manual pages
//! named.

mod entries;
mod linux;

use crate::adjust::{Adjustment, Invalid, ProblemKind, Updates};
use crate::api::{
    CdiDevice, ContainerAdjustment, ContainerEviction, ContainerUpdate, Hook, Hooks, KeyValue,
    LinuxContainerUpdate, Mount, PosixRlimit,
};
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
    // Here and below without `..`, so that a new field cannot be forgotten.
    let ContainerAdjustment {
        annotations,
        mounts: asked_mounts,
        env: asked_env,
        hooks: asked_hooks,
        linux: asked_linux,
        rlimits: asked_rlimits,
        cdi_devices: asked_cdi_devices,
        args: asked_args,
    } = adjust;
    entries.field("annotations");
    for (key, value) in annotations {
        entries.removable(key, !value.is_empty());
    }
    mounts(asked_mounts, entries);
    env(asked_env, entries);
    args(asked_args, entries);
    hooks(asked_hooks.as_ref(), entries);
    if let Some(linux) = asked_linux {
        linux::check(linux, entries);
    }
    rlimits(asked_rlimits, entries);
    cdi_devices(asked_cdi_devices, entries);
}

/// Checks mounts: OCI runtimes reject a destination that is not absolute.
fn mounts(mounts: &[Mount], entries: &mut Entries) {
    entries.field("mounts");
    for Mount { destination, r#type, source, options } in mounts {
        let has_value = !(source.is_empty() && r#type.is_empty() && options.is_empty());
        if let Some(destination) = entries.removable(destination, has_value) {
            entries.absolute(destination, destination);
        }
    }
}

/// Checks environment variables: execve(2) takes `name=value` strings that end at NUL, so a name
/// with `=` would set another variable.
fn env(env: &[KeyValue], entries: &mut Entries) {
    entries.field("env");
    for KeyValue { key, value } in env {
        if let Some(name) = entries.removable(key, !value.is_empty()) {
            for forbidden in ['=', '\0'] {
                let kind = ProblemKind::ForbiddenCharacter(forbidden);
                entries.require(!name.contains(forbidden), name, kind);
            }
            entries.require(!value.contains('\0'), name, ProblemKind::Nul);
        }
    }
}

fn args(args: &[String], entries: &mut Entries) {
    entries.field("args");
    // The marker of "replace" without any arguments after it.
    entries.require(args != [""], "", ProblemKind::NoArgs);
    for arg in args {
        entries.require(!arg.contains('\0'), arg, ProblemKind::Nul);
    }
}

/// Checks hooks: the OCI runtime specification requires absolute paths and timeouts above zero.
fn hooks(hooks: Option<&Hooks>, entries: &mut Entries) {
    entries.field("hooks");
    for (_, hook) in hooks.iter().flat_map(|hooks| hooks.iter()) {
        let Hook { path, args: _, env: _, timeout } = hook;
        entries.named(path);
        entries.absolute(path, path);
        if let Some(timeout) = timeout {
            entries.range(path, *timeout, 1, i64::MAX);
        }
    }
}

/// Checks resource limits: setrlimit(2) rejects a soft limit above the hard one, so the process
/// would never start.
fn rlimits(rlimits: &[PosixRlimit], entries: &mut Entries) {
    entries.field("rlimits");
    for PosixRlimit { r#type, hard, soft } in rlimits {
        entries.unique(r#type);
        let fact = format!("soft limit {soft} is higher than hard limit {hard}");
        let help = "lower the soft limit or raise the hard one";
        entries.consistent(soft <= hard, r#type, fact, help);
    }
}

/// Checks CDI devices: CDI resolves only qualified names, so the container would not be created.
fn cdi_devices(devices: &[CdiDevice], entries: &mut Entries) {
    entries.field("CDI_devices");
    for CdiDevice { name } in devices {
        entries.unique(name);
        entries.require(is_qualified(name), name, ProblemKind::Unqualified);
    }
}

fn is_qualified(name: &str) -> bool {
    let parts =
        name.split_once('=').and_then(|(kind, device)| Some((kind.split_once('/')?, device)));
    matches!(parts, Some(((vendor, class), device)) if !vendor.is_empty() && !class.is_empty() && !device.is_empty())
}

/// Checks updates and evictions of other containers. The updates of one container are merged, so
/// setting the same value twice is a conflict, but setting different values is fine.
fn others(others: &Updates, entries: &mut Entries) {
    let Updates { update, evict } = others;
    for ContainerUpdate { container_id, linux, ignore_failure: _ } in update {
        entries.field("update");
        entries.named(container_id);
        if let Some(LinuxContainerUpdate { resources: Some(resources) }) = linux.as_deref() {
            linux::resources(resources, entries);
        }
    }
    entries.field("evict");
    for ContainerEviction { container_id, reason: _ } in evict {
        entries.unique(container_id);
    }
}
