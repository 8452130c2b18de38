//! Reading pods and containers: what plugins ask of them again and again.

mod config;
mod validation;

use std::collections::BTreeMap;
use std::fmt;

use crate::api::{Container, LinuxResources, PodSandbox};

/// The quality of service that Kubernetes gives a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QosClass {
    /// Requests equal limits, for every container.
    Guaranteed,
    /// Some request or limit.
    Burstable,
    /// Neither requests nor limits.
    BestEffort,
}

impl QosClass {
    /// The class that a cgroup path of the kubelet stands for, under either cgroup driver.
    ///
    /// The kubelet puts pods under `kubepods`, all but the guaranteed ones in a group of their class below that.
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
    /// Namespace and name, `kube-system/dns-1`, for logs.
    pub fn full_name(&self) -> String {
        [self.namespace.as_str(), self.name.as_str()].join("/")
    }

    /// The label of this key.
    pub fn label(&self, key: &str) -> Option<&str> {
        value(&self.labels, key)
    }

    /// The annotation of this key.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        value(&self.annotations, key)
    }

    /// The annotation that is meant for this container: `key/container.NAME`, else for all of the pod, `key/pod`,
    /// else the plain `key`. Plugins of the NRI project read their annotations in this way.
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
        self.annotation(&format!("{key}/container.{container_name}"))
            .or_else(|| self.annotation(&format!("{key}/pod")))
            .or_else(|| self.annotation(key))
    }

    /// The cgroup that the pod's containers are in, as the runtime was told; empty where the runtime does not say.
    pub fn cgroup_parent(&self) -> &str {
        self.linux.as_ref().map_or("", |linux| &linux.cgroup_parent)
    }

    /// The class of service, told from the cgroup that the kubelet chose; `None` for a pod without such a cgroup.
    ///
    /// ```
    /// use nri::api::{LinuxPodSandbox, PodSandbox};
    /// use nri::view::QosClass;
    ///
    /// let cgroup_parent = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice".to_owned();
    /// let linux = Some(LinuxPodSandbox { cgroup_parent, ..Default::default() });
    /// let pod = PodSandbox { linux, ..Default::default() };
    /// assert_eq!(pod.qos_class(), Some(QosClass::Burstable));
    /// ```
    pub fn qos_class(&self) -> Option<QosClass> {
        QosClass::from_cgroup(self.cgroup_parent())
    }

    /// The path of the pod's namespace of this kind (`network`), where the runtime tells it.
    pub fn namespace_path(&self, kind: &str) -> Option<&str> {
        let namespaces = &self.linux.as_ref()?.namespaces;
        namespaces
            .iter()
            .find(|namespace| namespace.r#type == kind)
            .map(|namespace| namespace.path.as_str())
    }
}

impl Container {
    /// Namespace and name of its pod and its own name, `kube-system/dns-1/resolver`, for logs.
    pub fn full_name(&self, pod: &PodSandbox) -> String {
        [
            pod.namespace.as_str(),
            pod.name.as_str(),
            self.name.as_str(),
        ]
        .join("/")
    }

    /// The label of this key.
    pub fn label(&self, key: &str) -> Option<&str> {
        value(&self.labels, key)
    }

    /// The annotation of this key.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        value(&self.annotations, key)
    }

    /// The value of this environment variable; the last one counts, as in libc.
    ///
    /// ```
    /// let container = nri::api::Container { env: vec!["A=1=2".into()], ..Default::default() };
    /// assert_eq!(container.env_var("A"), Some("1=2"));
    /// assert_eq!(container.env_var("A=1"), None);
    /// ```
    pub fn env_var(&self, name: &str) -> Option<&str> {
        self.env_vars()
            .filter(|(found, _)| *found == name)
            .last()
            .map(|(_, value)| value)
    }

    /// Names and values of the environment; an entry without `=` has an empty value.
    pub fn env_vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env
            .iter()
            .map(|entry| entry.split_once('=').unwrap_or((entry, "")))
    }

    /// The path of its cgroup, in the notation of the runtime's cgroup driver; empty where the runtime does not say.
    pub fn cgroups_path(&self) -> &str {
        self.linux.as_ref().map_or("", |linux| &linux.cgroups_path)
    }

    /// Its resources, where it has any.
    pub fn resources(&self) -> Option<&LinuxResources> {
        self.linux.as_ref()?.resources.as_ref()
    }

    /// Its memory limit in bytes, where it has one.
    pub fn memory_limit(&self) -> Option<i64> {
        self.resources()?
            .memory
            .as_ref()?
            .limit
            .as_ref()
            .map(|limit| limit.value)
    }

    /// The CPUs it may run on, in the kernel's notation; empty where it has no cpuset.
    pub fn cpuset_cpus(&self) -> &str {
        self.resources()
            .and_then(|resources| resources.cpu.as_ref())
            .map_or("", |cpu| &cpu.cpus)
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
        let mut pod = PodSandbox {
            namespace: "ns".into(),
            name: "web".into(),
            ..Default::default()
        };
        pod.labels.insert("app".into(), "shop".into());
        let container = Container {
            name: "main".into(),
            env: vec!["A=1".into(), "A=2".into(), "B".into()],
            ..Default::default()
        };
        assert_eq!(pod.full_name(), "ns/web");
        assert_eq!(container.full_name(&pod), "ns/web/main");
        assert_eq!((pod.label("app"), pod.label("tier")), (Some("shop"), None));
        assert_eq!(
            (
                container.env_var("A"),
                container.env_var("B"),
                container.env_var("C")
            ),
            (Some("2"), Some(""), None)
        );
        assert_eq!(
            (
                container.memory_limit(),
                container.cpuset_cpus(),
                pod.qos_class()
            ),
            (None, "", None)
        );
    }
}
