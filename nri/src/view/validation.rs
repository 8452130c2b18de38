//! Accessors for validation requests: the container, the merged adjustment, and the plugin behind
//! each change.

use std::sync::LazyLock;

use crate::api::{
    Container, ContainerAdjustment, Field, FieldOwners, PluginInstance, PodSandbox,
    ValidateContainerAdjustmentRequest,
};

static NO_POD: LazyLock<PodSandbox> = LazyLock::new(PodSandbox::default);
static NO_CONTAINER: LazyLock<Container> = LazyLock::new(Container::default);
static NO_ADJUSTMENT: LazyLock<ContainerAdjustment> = LazyLock::new(ContainerAdjustment::default);

/// The marker of a plugin that has removed a field.
const REMOVED: char = '-';

/// ```
/// use nri::api::{Field, ValidateContainerAdjustmentRequest};
/// use nri::prelude::*;
///
/// fn judge(request: &ValidateContainerAdjustmentRequest) -> Verdict {
///     if !request.has_plugin("topology") {
///         return Verdict::reject("the topology plugin did not run");
///     }
///     match (request.owner(Field::CpuSetCpUs), request.owner_of(Field::Env, "LD_PRELOAD")) {
///         (Some(owner), _) if owner != "10-topology" => Verdict::reject(format!("{owner} sets the CPUs")),
///         (_, Some(owner)) => Verdict::reject(format!("{owner} sets LD_PRELOAD")),
///         _ => Verdict::Accept,
///     }
/// }
/// # assert_ne!(judge(&ValidateContainerAdjustmentRequest::default()), Verdict::Accept);
/// ```
impl ValidateContainerAdjustmentRequest {
    /// Returns the pod; an empty one if the runtime sent none.
    pub fn pod(&self) -> &PodSandbox {
        self.pod.as_ref().unwrap_or(&NO_POD)
    }

    /// Returns the container as it was before any adjustment; an empty one if the runtime sent
    /// none.
    pub fn container(&self) -> &Container {
        self.container.as_ref().unwrap_or(&NO_CONTAINER)
    }

    /// Returns the adjustments of all plugins, merged; an empty one if the runtime sent none.
    pub fn adjustment(&self) -> &ContainerAdjustment {
        self.adjust.as_ref().unwrap_or(&NO_ADJUSTMENT)
    }

    /// Returns the plugin that set a field with one value, such as `10-topology`, or `None` if no
    /// plugin did. If several add to the field, as to hooks, this is the first;
    /// [`owners`](Self::owners) returns all.
    pub fn owner(&self, field: Field) -> Option<&str> {
        self.owners(field).next()
    }

    /// Returns all plugins that set a field with one value; several for fields that several may add
    /// to.
    pub fn owners(&self, field: Field) -> impl Iterator<Item = &str> {
        let simple = self.fields().and_then(|fields| fields.simple.get(&(field as i32)));
        simple.map_or("", String::as_str).split(',').filter(|owner| is_set(owner))
    }

    /// Returns the plugin that set an entry of a field with many, such as an annotation or the
    /// variable `PATH` of the environment, or `None` if no plugin did. Keys are annotation keys,
    /// mount destinations, device paths, and so on.
    pub fn owner_of(&self, field: Field, key: &str) -> Option<&str> {
        let owner = self.compound(field)?.get(key)?.as_str();
        is_set(owner).then_some(owner)
    }

    /// Returns the keys of all entries of a field that plugins set, each with its plugin, in the
    /// order of the keys.
    pub fn owned(&self, field: Field) -> impl Iterator<Item = (&str, &str)> {
        self.compound(field)
            .into_iter()
            .flatten()
            .map(|(key, owner)| (key.as_str(), owner.as_str()))
            .filter(|(_, owner)| is_set(owner))
    }

    /// Returns the plugin that removed an entry of a field and did not set it again, or that reset
    /// a field with one value (`key` is empty then), or `None` if no plugin did.
    pub fn remover_of(&self, field: Field, key: &str) -> Option<&str> {
        let owner = match key {
            "" => self.fields()?.simple.get(&(field as i32))?,
            key => self.compound(field)?.get(key)?,
        };
        owner.strip_prefix(REMOVED)
    }

    /// Returns true if a plugin of this name took part, with (`10-topology`) or without its index
    /// (`topology`).
    pub fn has_plugin(&self, name: &str) -> bool {
        let is_named = |plugin: &PluginInstance| {
            plugin.name == name
                || name.split_once('-') == Some((plugin.index.as_str(), plugin.name.as_str()))
        };
        self.plugins.iter().any(is_named)
    }

    fn fields(&self) -> Option<&FieldOwners> {
        self.owners.as_ref()?.owners.get(&self.container().id)
    }

    fn compound(&self, field: Field) -> Option<&std::collections::BTreeMap<String, String>> {
        self.fields()?.compound.get(&(field as i32)).map(|owners| &owners.owners)
    }
}

fn is_set(owner: &str) -> bool {
    !owner.is_empty() && !owner.starts_with(REMOVED)
}

#[cfg(test)]
mod tests {
    use crate::api::{CompoundFieldOwners, OwningPlugins};

    use super::*;

    fn request() -> ValidateContainerAdjustmentRequest {
        let simple = [
            (Field::CpuSetCpUs as i32, "10-topology".to_owned()),
            (Field::OciHooks as i32, "10-a,20-b".to_owned()),
            (Field::Args as i32, "-30-c".to_owned()),
        ];
        let owners =
            [("A", "10-a"), ("B", "-20-b")].map(|(key, owner)| (key.to_owned(), owner.to_owned()));
        let env = CompoundFieldOwners { owners: owners.into() };
        let fields =
            FieldOwners { simple: simple.into(), compound: [(Field::Env as i32, env)].into() };
        ValidateContainerAdjustmentRequest {
            container: Some(Container { id: "c0".to_owned(), ..Container::default() }),
            owners: Some(OwningPlugins { owners: [("c0".to_owned(), fields)].into() }),
            plugins: vec![PluginInstance { name: "my-plugin".to_owned(), index: "10".to_owned() }],
            ..ValidateContainerAdjustmentRequest::default()
        }
    }

    #[test]
    fn owners_of_fields_with_one_value() {
        let request = request();
        assert_eq!(request.owner(Field::CpuSetCpUs), Some("10-topology"));
        assert_eq!(request.owner(Field::MemLimit), None);
        assert!(request.owners(Field::OciHooks).eq(["10-a", "20-b"]));
        assert_eq!(request.owner(Field::Args), None);
        assert_eq!(request.remover_of(Field::Args, ""), Some("30-c"));
    }

    #[test]
    fn owners_of_entries() {
        let request = request();
        assert_eq!(request.owner_of(Field::Env, "A"), Some("10-a"));
        assert_eq!(request.owner_of(Field::Env, "B"), None);
        assert_eq!(request.remover_of(Field::Env, "B"), Some("20-b"));
        assert!(request.owned(Field::Env).eq([("A", "10-a")]));
        assert_eq!(request.owner_of(Field::Mounts, "/"), None);
    }

    #[test]
    fn plugins_are_found_with_and_without_index() {
        let request = request();
        assert!(request.has_plugin("my-plugin") && request.has_plugin("10-my-plugin"));
        assert!(!request.has_plugin("plugin") && !request.has_plugin("20-my-plugin"));
    }

    #[test]
    fn what_the_runtime_did_not_send_is_empty() {
        let empty = ValidateContainerAdjustmentRequest::default();
        assert_eq!((&*empty.pod().id, &*empty.container().id), ("", ""));
        assert_eq!(empty.adjustment(), &ContainerAdjustment::default());
        assert_eq!(empty.owner(Field::Args), None);
    }
}
