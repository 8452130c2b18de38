//! Answers to CreateContainer.

use super::entries::{ListChange, merge_list, merge_map};
use super::linux;
use super::owners::{Claims, MergeError, Owners};
use super::update::{UpdateCollector, stripped};
use super::view::{View, fill_adjustment, filled};
use nri::api::{
    Container, ContainerAdjustment, ContainerEviction, ContainerUpdate, CreateContainerResponse,
    Field, Hooks, KeyValue, ValidateContainerAdjustmentRequest,
};

/// Collects the answers of plugins to CreateContainer.
///
/// ```
/// use nri_adaptation::merge::CreateCollector;
/// use nri::adjust::Adjustment;
/// use nri::api::Container;
///
/// let mut collector = CreateCollector::new(Container::default());
/// collector.apply("10-first", Adjustment::new().env("LANG", "C").into())?;
/// assert_eq!(collector.container().env, ["LANG=C"]); // as the next plugin sees it
///
/// let conflict = collector.apply("20-second", Adjustment::new().env("LANG", "C.UTF-8").into());
/// assert_eq!(
///     conflict.unwrap_err().to_string(),
///     r#"plugins "20-second" and "10-first" both tried to set Env LANG"#,
/// );
/// # Ok::<(), nri_adaptation::merge::MergeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CreateCollector {
    view: View,
    /// The changes that the container does not show, such as removals; the view has the rest.
    adjustment: ContainerAdjustment,
    updates: UpdateCollector,
}

/// The merged answers to CreateContainer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Created {
    /// The adjustments of all plugins, without parts that change nothing.
    pub adjust: ContainerAdjustment,
    /// Updates of other containers, in the order in which they were first asked for.
    pub updates: Vec<ContainerUpdate>,
    /// Containers to evict.
    pub evictions: Vec<ContainerEviction>,
    /// The plugin behind each change.
    pub owners: Owners,
    /// Conflicts in updates whose failure the plugin asked to ignore.
    pub ignored: Vec<MergeError>,
}

impl CreateCollector {
    /// Returns a collector for the creation of this container. Plugins see it with hooks and with
    /// Linux resources of memory and CPU, if only empty, as under the Go adaptation.
    pub fn new(container: Container) -> Self {
        CreateCollector {
            view: View::of(filled(container)),
            adjustment: ContainerAdjustment::default(),
            updates: UpdateCollector::default(),
        }
    }

    /// Returns the container as adjusted so far, as the next plugin sees it.
    pub fn container(&self) -> &Container {
        &self.view.container
    }

    /// Merges the answer of a plugin, named with its index: `10-name`.
    ///
    /// # Errors
    ///
    /// The answer conflicts with an earlier one, or with itself. The creation of the container
    /// fails then.
    pub fn apply(
        &mut self,
        plugin: &str,
        answer: CreateContainerResponse,
    ) -> Result<(), MergeError> {
        // Without `..`, so that a new field cannot be forgotten.
        let CreateContainerResponse { adjust, update: updates, evict } = answer;
        if let Some(adjustment) = adjust {
            self.adjust(adjustment, plugin)?;
        }
        let own_id = &self.view.container.id;
        for update in updates {
            if update.container_id == *own_id {
                return Err(MergeError::UpdateDuringCreation {
                    plugin: plugin.to_owned(),
                    container_id: update.container_id,
                });
            }
            self.updates.merge(update, plugin)?;
        }
        self.updates.evict(evict);
        Ok(())
    }

    /// Returns the request that validators get about the answers so far, without pod, container and
    /// plugins.
    ///
    /// The adjustment has hooks, and it and each update have Linux resources of memory and CPU, if
    /// only empty, as under the Go adaptation.
    pub fn validation(&self) -> ValidateContainerAdjustmentRequest {
        let merged = self.clone().merged();
        ValidateContainerAdjustmentRequest {
            adjust: Some(merged.adjust),
            update: merged.updates,
            owners: Some((&merged.owners).into()),
            ..ValidateContainerAdjustmentRequest::default()
        }
    }

    /// Returns the merged answers.
    pub fn finish(self) -> Created {
        let merged = self.merged();
        Created { adjust: merged.adjust.strip(), updates: stripped(merged.updates), ..merged }
    }

    /// Returns the merged answers, with the empty parts that validators get.
    fn merged(mut self) -> Created {
        fill_adjustment(&mut self.adjustment);
        let owners = std::mem::take(&mut self.updates.owners);
        self.view.finish(&mut self.adjustment, &owners);
        let merged = self.updates.merged();
        Created {
            adjust: self.adjustment,
            updates: merged.updates,
            evictions: merged.evictions,
            owners,
            ignored: merged.ignored,
        }
    }

    fn adjust(&mut self, asked: ContainerAdjustment, plugin: &str) -> Result<(), MergeError> {
        // Without `..`, so that a new field cannot be forgotten.
        let ContainerAdjustment {
            annotations,
            mounts,
            env,
            hooks: asked_hooks,
            linux,
            rlimits,
            cdi_devices,
            args,
        } = asked;
        let View { container, unowned } = &mut self.view;
        let collected = &mut self.adjustment;
        let mut claims = self.updates.owners.claims(&container.id, plugin);
        merge_map(
            Field::Annotations,
            annotations,
            &mut container.annotations,
            &mut collected.annotations,
            &mut claims,
        )?;
        let removals = merge_list(mounts, &mut container.mounts, &mut unowned.mounts, &mut claims)?;
        collected.mounts.extend(removals);
        environment(env, &mut container.env, &mut unowned.env, &mut collected.env, &mut claims)?;
        arguments(args, container, collected, &mut claims)?;
        if let Some(asked_hooks) = asked_hooks {
            hooks(asked_hooks, container, collected, &mut claims);
        }
        if let Some(linux) = linux {
            let seen = container.linux.get_or_insert_default();
            let collected = collected.linux.get_or_insert_default();
            linux::merge(linux, seen, unowned, collected, &mut claims)?;
        }
        for limit in rlimits {
            claims.claim_entry(Field::Rlimits, &limit.r#type)?;
            container.rlimits.push(limit);
        }
        // CDI devices can only be added, and the container that plugins see does not show them.
        for device in cdi_devices {
            claims.claim_entry(Field::CdiDevices, &device.name)?;
            collected.cdi_devices.push(device);
        }
        Ok(())
    }
}

/// Merges environment variables, which the container has as `KEY=value`.
///
/// As in the reference, a removal is not passed on to the runtime.
fn environment(
    asked: Vec<KeyValue>,
    seen: &mut Vec<String>,
    unowned: &mut usize,
    collected: &mut Vec<KeyValue>,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    if asked.is_empty() {
        return Ok(());
    }
    let change = ListChange::new(asked);
    change.drop_unowned(seen, unowned, |variable| name(variable));
    if change.removes_any() {
        change.drop_owned(collected, 0, claims);
        let removed = |variable: &mut String| change.removes(name(variable));
        seen.extract_if(*unowned.., removed).for_each(drop);
    }
    change.reserve(seen);
    change.reserve(collected);
    change.add(claims, |variable| {
        seen.push([&*variable.key, "=", &*variable.value].concat());
        // The variable `A=B` of value `C` reads as `A` of value `B=C`: a plugin that sets `A`
        // replaces it.
        if variable.key.contains('=') {
            *unowned = seen.len();
        }
        collected.push(variable);
    })?;
    Ok(())
}

fn name(variable: &str) -> &str {
    variable.split_once('=').map_or(variable, |(name, _)| name)
}

/// Merges arguments. An empty first one means that those of an earlier plugin may be replaced.
fn arguments(
    mut asked: Vec<String>,
    container: &mut Container,
    collected: &mut ContainerAdjustment,
    claims: &mut Claims<'_>,
) -> Result<(), MergeError> {
    let Some(first) = asked.first() else {
        return Ok(());
    };
    if first.is_empty() {
        claims.remove(Field::Args);
        asked.remove(0);
    }
    claims.claim(Field::Args)?;
    container.args.clone_from(&asked);
    collected.args = asked;
    Ok(())
}

/// Merges hooks: every plugin may add some.
fn hooks(
    asked: Hooks,
    container: &mut Container,
    collected: &mut ContainerAdjustment,
    claims: &mut Claims<'_>,
) {
    if asked == Hooks::default() {
        return;
    }
    claims.share(Field::OciHooks);
    append_hooks(container.hooks.get_or_insert_default(), asked.clone());
    append_hooks(collected.hooks.get_or_insert_default(), asked);
}

fn append_hooks(hooks: &mut Hooks, added: Hooks) {
    // Without `..`, so that a new stage cannot be forgotten.
    let Hooks { prestart, create_runtime, create_container, start_container, poststart, poststop } =
        added;
    hooks.prestart.extend(prestart);
    hooks.create_runtime.extend(create_runtime);
    hooks.create_container.extend(create_container);
    hooks.start_container.extend(start_container);
    hooks.poststart.extend(poststart);
    hooks.poststop.extend(poststop);
}
