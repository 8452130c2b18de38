//! Accessors for common questions about pods and containers.

mod annotation;
mod validation;

use std::collections::BTreeMap;
use std::fmt;

use crate::api::{Container, LinuxResources, PodSandbox};

pub use annotation::Annotation;

/// The quality of service class that Kubernetes assigns to a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QosClass {
    /// Every container has limits, equal to its requests.
    Guaranteed,
    /// Some container has a request or limit.
    Burstable,
    /// No container has requests or limits.
    BestEffort,
}

impl QosClass {
    /// Returns the class that a cgroup path of the kubelet stands for, with either cgroup driver.
    ///
    /// The kubelet puts pods under `kubepods`; those that are not guaranteed are in a subgroup of
    /// their class.
    pub fn from_cgroup(path: &str) -> Option<Self> {
        path.contains("kubepods").then(|| {
            if path.contains("besteffort") {
                QosClass::BestEffort
            } else if path.contains("burstable") {
                QosClass::Burstable
            } else {
                QosClass::Guaranteed
            }
        })
    }
}

impl fmt::Display for QosClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl PodSandbox {
    /// Returns namespace and name for logs, such as `kube-system/dns-1`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Returns the label with this key.
    pub fn label(&self, key: &str) -> Option<&str> {
        value(&self.labels, key)
    }

    /// Returns the annotation with this key.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        value(&self.annotations, key)
    }

    /// Returns the annotation for this container: `key/container.NAME`, else the one for the whole
    /// pod, `key/pod`, else the plain `key`. The plugins of the NRI project read their annotations
    /// in this way.
    ///
    /// ```
    /// use nri::api::PodSandbox;
    ///
    /// let mut pod = PodSandbox::default();
    /// pod.annotations.insert("devices.example.com/pod".into(), "all".into());
    /// pod.annotations.insert("devices.example.com/container.main".into(), "main only".into());
    /// assert_eq!(pod.annotation_for("devices.example.com", "main"), Some("main only"));
    /// assert_eq!(pod.annotation_for("devices.example.com", "side"), Some("all"));
    /// ```
    pub fn annotation_for(&self, key: &str, container_name: &str) -> Option<&str> {
        self.find_annotation_for(&[key], container_name).map(|annotation| annotation.value())
    }

    /// Returns the cgroup that contains the containers of the pod, as requested from the runtime;
    /// empty if unknown.
    pub fn cgroup_parent(&self) -> &str {
        self.linux.as_ref().map_or("", |linux| &linux.cgroup_parent)
    }

    /// Returns the quality of service class, derived from the cgroup chosen by the kubelet; `None`
    /// for a pod without such a cgroup.
    ///
    /// ```
    /// use nri::api::{LinuxPodSandbox, PodSandbox};
    /// use nri::view::QosClass;
    ///
    /// let cgroup_parent = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice".to_owned();
    /// let linux = LinuxPodSandbox { cgroup_parent, ..Default::default() };
    /// let pod = PodSandbox { linux: Some(linux.into()), ..Default::default() };
    /// assert_eq!(pod.qos_class(), Some(QosClass::Burstable));
    /// ```
    pub fn qos_class(&self) -> Option<QosClass> {
        QosClass::from_cgroup(self.cgroup_parent())
    }

    /// Returns the path of the pod's namespace of this kind (such as `network`), if known.
    pub fn namespace_path(&self, kind: &str) -> Option<&str> {
        self.linux
            .as_ref()?
            .namespaces
            .iter()
            .find(|namespace| namespace.r#type == kind)
            .map(|namespace| namespace.path.as_str())
    }
}

impl Container {
    /// Returns the namespace and name of the pod and the name of the container for logs, such as
    /// `kube-system/dns-1/resolver`.
    pub fn full_name(&self, pod: &PodSandbox) -> String {
        format!("{}/{}", pod.full_name(), self.name)
    }

    /// Returns the label with this key.
    pub fn label(&self, key: &str) -> Option<&str> {
        value(&self.labels, key)
    }

    /// Returns the annotation with this key.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        value(&self.annotations, key)
    }

    /// Returns the value of this environment variable. If it occurs twice, the last value counts,
    /// as in libc.
    ///
    /// ```
    /// let container = nri::api::Container { env: vec!["A=1=2".into()], ..Default::default() };
    /// assert_eq!(container.env_var("A"), Some("1=2"));
    /// assert_eq!(container.env_var("A=1"), None);
    /// ```
    pub fn env_var(&self, name: &str) -> Option<&str> {
        self.env_vars().filter(|(found, _)| *found == name).last().map(|(_, value)| value)
    }

    /// Returns names and values of the environment; an entry without `=` has an empty value.
    pub fn env_vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env.iter().map(|entry| entry.split_once('=').unwrap_or((entry, "")))
    }

    /// Returns the path of the container's cgroup, in the notation of the runtime's cgroup driver;
    /// empty if unknown.
    pub fn cgroups_path(&self) -> &str {
        self.linux.as_ref().map_or("", |linux| &linux.cgroups_path)
    }

    /// Returns the resources, if any.
    pub fn resources(&self) -> Option<&LinuxResources> {
        self.linux.as_ref()?.resources.as_ref()
    }

    /// Returns the memory limit in bytes, if any.
    pub fn memory_limit(&self) -> Option<i64> {
        self.resources()?.memory.as_ref()?.limit
    }

    /// Returns the CPUs that the container may run on, in the kernel's list format; empty if it has
    /// no cpuset.
    pub fn cpuset_cpus(&self) -> &str {
        self.resources().and_then(|resources| resources.cpu.as_ref()).map_or("", |cpu| &cpu.cpus)
    }
}

fn value<'a>(map: &'a BTreeMap<String, String>, key: &str) -> Option<&'a str> {
    map.get(key).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_both_cgroup_drivers() {
        use QosClass::{BestEffort, Burstable, Guaranteed};
        for (path, class) in [
            ("/kubepods/besteffort/pod1", Some(BestEffort)),
            ("kubepods-besteffort-pod1.slice", Some(BestEffort)),
            ("/kubepods/burstable/pod1", Some(Burstable)),
            ("/kubepods/pod1", Some(Guaranteed)),
            ("kubepods-pod1.slice", Some(Guaranteed)),
            ("/system.slice", None),
            ("", None),
        ] {
            assert_eq!(QosClass::from_cgroup(path), class, "{path}");
        }
    }

    #[test]
    fn names_and_values_absent_and_present() {
        let mut pod =
            PodSandbox { namespace: "ns".into(), name: "web".into(), ..Default::default() };
        pod.labels.insert("app".into(), "shop".into());
        let container = Container {
            name: "main".into(),
            env: vec!["A=1".into(), "A=2".into(), "B".into()],
            ..Default::default()
        };
        assert_eq!(pod.full_name(), "ns/web");
        assert_eq!(container.full_name(&pod), "ns/web/main");
        assert_eq!(["app", "tier"].map(|key| pod.label(key)), [Some("shop"), None]);
        let values = ["A", "B", "C"].map(|name| container.env_var(name));
        assert_eq!(values, [Some("2"), Some(""), None]);
        assert_eq!(container.memory_limit(), None);
        assert_eq!(container.cpuset_cpus(), "");
        assert_eq!(pod.qos_class(), None);
    }
}
