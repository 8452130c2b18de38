//! Checks an answer for anything that the runtime would reject or that would make the container
//! fail to start, while the author can still see the reason.
//!
//! One function per rule; its comment says which component would fail and how. Sources: the
//! reference adaptation (conflicts, v0.12.5), the OCI runtime specification, and the manual pages
//! named.

mod entries;
mod linux;
mod list;
mod resources;

use crate::adjust::{Adjustment, Invalid, Problem, ProblemKind, Updates};
use crate::api::{ContainerAdjustment, ContainerEviction, ContainerUpdate};
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
        let mut problems = Vec::new();
        adjustment(&self.adjust, &mut problems);
        updates(&self.update, &mut problems);
        evictions(&self.evict, &mut problems);
        Invalid::of(problems)
    }
}

impl Updates {
    /// Checks for problems that the runtime would reject.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`] with every problem found.
    pub fn check(&self) -> Result<(), Invalid> {
        let mut problems = Vec::new();
        updates(&self.update, &mut problems);
        evictions(&self.evict, &mut problems);
        Invalid::of(problems)
    }
}

fn adjustment(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    annotations(adjust, problems);
    mounts(adjust, problems);
    env(adjust, problems);
    args(adjust, problems);
    hooks(adjust, problems);
    if let Some(linux) = &adjust.linux {
        linux::check(linux, problems);
    }
    rlimits(adjust, problems);
    cdi_devices(adjust, problems);
}

fn annotations(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("annotations", problems);
    for (key, value) in &adjust.annotations {
        entries.removable(key, !value.is_empty());
    }
}

/// Checks mounts: OCI runtimes reject a destination that is not absolute.
fn mounts(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("mounts", problems);
    for mount in &adjust.mounts {
        let has_value =
            !(mount.source.is_empty() && mount.r#type.is_empty() && mount.options.is_empty());
        if let Some(destination) = entries.removable(&mount.destination, has_value) {
            entries.absolute(destination);
        }
    }
}

/// Checks environment variables: execve(2) takes `name=value` strings that end at NUL, so a name
/// with `=` would set another variable.
fn env(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("env", problems);
    for pair in &adjust.env {
        if let Some(name) = entries.removable(&pair.key, !pair.value.is_empty()) {
            for forbidden in ['=', '\0'] {
                entries.require(
                    !name.contains(forbidden),
                    name,
                    ProblemKind::ForbiddenCharacter(forbidden),
                );
            }
            entries.require(!pair.value.contains('\0'), name, ProblemKind::Nul);
        }
    }
}

fn args(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("args", problems);
    // The marker of "replace" without any arguments after it.
    entries.require(adjust.args != [""], "", ProblemKind::NoArgs);
    for arg in &adjust.args {
        entries.require(!arg.contains('\0'), arg, ProblemKind::Nul);
    }
}

/// Checks hooks: the OCI runtime specification requires absolute paths and timeouts above zero.
fn hooks(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("hooks", problems);
    for (_, hook) in adjust.hooks.iter().flat_map(|hooks| hooks.iter()) {
        entries.named(&hook.path);
        entries.absolute(&hook.path);
        if let Some(timeout) = &hook.timeout {
            entries.range(&hook.path, timeout.value, 1, i64::MAX);
        }
    }
}

/// Checks resource limits: setrlimit(2) rejects a soft limit above the hard one, so the process
/// would never start.
fn rlimits(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("rlimits", problems);
    for limit in &adjust.rlimits {
        entries.unique(&limit.r#type);
        let kind = ProblemKind::SoftAboveHard {
            soft: limit.soft,
            hard: limit.hard,
        };
        entries.require(limit.soft <= limit.hard, &limit.r#type, kind);
    }
}

/// Checks CDI devices: CDI resolves only qualified names, so the container would not be created.
fn cdi_devices(adjust: &ContainerAdjustment, problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("CDI_devices", problems);
    for device in &adjust.cdi_devices {
        entries.unique(&device.name);
        entries.require(
            is_qualified(&device.name),
            &device.name,
            ProblemKind::Unqualified,
        );
    }
}

fn is_qualified(name: &str) -> bool {
    let parts = name
        .split_once('=')
        .and_then(|(kind, device)| Some((kind.split_once('/')?, device)));
    matches!(parts, Some(((vendor, class), device)) if !vendor.is_empty() && !class.is_empty() && !device.is_empty())
}

/// Checks updates: those of one container are merged, so setting the same value twice is a
/// conflict, but setting different values is fine.
fn updates(updates: &[ContainerUpdate], problems: &mut Vec<Problem>) {
    for update in updates {
        Entries::new("update", problems).named(&update.container_id);
        if let Some(resources) = update
            .linux
            .as_ref()
            .and_then(|linux| linux.resources.as_ref())
        {
            resources::check(resources, problems);
        }
    }
}

fn evictions(evictions: &[ContainerEviction], problems: &mut Vec<Problem>) {
    let mut entries = Entries::new("evict", problems);
    for eviction in evictions {
        entries.unique(&eviction.container_id);
    }
}
