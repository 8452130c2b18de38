//! The form of an object in the API, which is flattened into a [`Workload`].

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{
    Container, ContainerKind, ContainerStatus, Owner, PodTemplate, Volume, Workload,
    null_as_default,
};

/// Any object with a pod or a pod template.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Object {
    kind: String,
    metadata: Metadata,
    spec: Option<Spec>,
    /// The template of the kind `PodTemplate`, which has no `spec` around it.
    template: Option<Template>,
    status: Status,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    generate_name: String,
    namespace: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    annotations: Annotations,
    #[serde(deserialize_with = "null_as_default")]
    owner_references: Vec<Owner>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Annotations {
    /// The annotation with which the kubelet marks the mirror of a static pod.
    #[serde(rename = "kubernetes.io/config.mirror")]
    mirror: Option<IgnoredAny>,
}

/// The specification of a pod, or of an object around a pod template.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Spec {
    template: Option<Box<Template>>,
    job_template: Option<Box<Template>>,
    node_name: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    volumes: Vec<Volume>,
    #[serde(deserialize_with = "null_as_default")]
    init_containers: Vec<Container>,
    #[serde(deserialize_with = "null_as_default")]
    containers: Vec<Container>,
    #[serde(deserialize_with = "null_as_default")]
    ephemeral_containers: Vec<Container>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Template {
    spec: Option<Spec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    phase: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    init_container_statuses: Vec<ContainerStatus>,
    #[serde(deserialize_with = "null_as_default")]
    container_statuses: Vec<ContainerStatus>,
    #[serde(deserialize_with = "null_as_default")]
    ephemeral_container_statuses: Vec<ContainerStatus>,
}

impl From<Object> for Workload {
    fn from(object: Object) -> Self {
        let Object {
            kind,
            metadata,
            spec,
            template,
            mut status,
        } = object;
        let mut templates = Vec::new();
        let template = template.and_then(|template| template.spec);
        for spec in spec.into_iter().chain(template) {
            spec.pods(&mut templates);
        }
        let name = if metadata.name.is_empty() {
            metadata.generate_name
        } else {
            metadata.name
        };
        Self {
            kind,
            namespace: metadata.namespace,
            name,
            owners: metadata.owner_references,
            is_mirror: metadata.annotations.mirror.is_some(),
            templates,
            phase: status.phase.take(),
            statuses: status.all(),
        }
    }
}

impl Spec {
    /// Adds the pod of this specification, and those of the templates in it.
    fn pods(mut self, templates: &mut Vec<PodTemplate>) {
        let inner = [self.template.take(), self.job_template.take()];
        for spec in inner.into_iter().flatten().filter_map(|inner| inner.spec) {
            spec.pods(templates);
        }
        let pod = PodTemplate::from(self);
        if !pod.containers.is_empty() {
            templates.push(pod);
        }
    }
}

impl From<Spec> for PodTemplate {
    /// Converts a specification to that of a pod, without the templates in it.
    fn from(spec: Spec) -> Self {
        let lists = [
            (ContainerKind::Init, spec.init_containers),
            (ContainerKind::Main, spec.containers),
            (ContainerKind::Ephemeral, spec.ephemeral_containers),
        ];
        let containers = lists
            .into_iter()
            .flat_map(|(kind, list)| {
                list.into_iter()
                    .map(move |container| Container { kind, ..container })
            })
            .collect();
        Self {
            node_name: spec.node_name,
            volumes: spec.volumes,
            containers,
        }
    }
}

impl Status {
    fn all(self) -> Vec<ContainerStatus> {
        let lists = [
            self.init_container_statuses,
            self.container_statuses,
            self.ephemeral_container_statuses,
        ];
        lists.into_iter().flatten().collect()
    }
}
