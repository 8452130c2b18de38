//! Annotations, and the parts of Linux that are neither devices nor resources: namespaces, sysctls,
//! network devices, RDT, and the NUMA policy.

use std::collections::{BTreeMap, HashMap};

use oci_spec::runtime::{
    LinuxMemoryPolicy as OciPolicy, LinuxNamespace as OciNamespace, LinuxNamespaceType,
    LinuxNetDevice as OciNetDevice, Spec,
};

use crate::oci::callbacks::{Callbacks, refused};
use crate::oci::error::{Error, ErrorKind};
use crate::oci::parts::{self, filled, named, some};
use nri::adjust::marker;
use nri::api::{LinuxMemoryPolicy, LinuxNamespace, LinuxNetDevice, LinuxRdt, MpolFlag, MpolMode};

pub(super) fn annotations(
    spec: &mut Spec,
    asked: &BTreeMap<String, String>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let mut asked = asked.clone();
    (callbacks.annotation_filter)(&mut asked).map_err(refused("annotations"))?;
    merge(spec.annotations_mut(), asked);
    Ok(())
}

pub(super) fn sysctl(
    spec: &mut Spec,
    asked: &BTreeMap<String, String>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let mut asked = asked.clone();
    (callbacks.sysctl_filter)(&mut asked).map_err(refused("linux.sysctl"))?;
    if !asked.is_empty() {
        merge(parts::linux(spec).sysctl_mut(), asked);
    }
    Ok(())
}

/// Moves network devices into the container, by their name on the host.
pub(super) fn net_devices(spec: &mut Spec, asked: &BTreeMap<String, LinuxNetDevice>) {
    if asked.is_empty() {
        return;
    }
    let devices = asked.iter().map(|(host, LinuxNetDevice { name })| {
        let mut device = OciNetDevice::default();
        device.set_name(filled(name));
        (host.clone(), device)
    });
    merge(parts::linux(spec).net_devices_mut(), devices.collect());
}

/// Removes the marked entries, then sets the others. An entry that is both removed and set is set.
fn merge<V>(map: &mut Option<HashMap<String, V>>, asked: BTreeMap<String, V>) {
    if asked.is_empty() {
        return;
    }
    let map = map.get_or_insert_default();
    for key in asked.keys().filter_map(|key| marker::removed(key)) {
        map.remove(key);
    }
    map.extend(asked.into_iter().filter(|(key, _)| marker::removed(key).is_none()));
}

/// Removes marked namespaces, then sets the others. A namespace replaces the one of the same type,
/// or is appended.
pub(super) fn namespaces(spec: &mut Spec, asked: &[LinuxNamespace]) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let namespaces = parts::linux(spec).namespaces_mut().get_or_insert_default();
    for (index, LinuxNamespace { r#type, path: _ }) in asked.iter().enumerate() {
        if let Some(removed) = marker::removed(r#type) {
            let removed = kind(removed, index)?;
            namespaces.retain(|it| it.typ() != removed);
        }
    }
    for (index, LinuxNamespace { r#type, path }) in asked.iter().enumerate() {
        if marker::removed(r#type).is_none() {
            let mut namespace = OciNamespace::default();
            namespace.set_typ(kind(r#type, index)?).set_path(filled(path));
            set(namespaces, namespace);
        }
    }
    Ok(())
}

fn set(namespaces: &mut Vec<OciNamespace>, namespace: OciNamespace) {
    let same = namespaces.iter_mut().find(|it| it.typ() == namespace.typ());
    match same {
        Some(present) => *present = namespace,
        None => namespaces.push(namespace),
    }
}

/// Parses the type of a namespace. The `oci-spec` crate also accepts abbreviations, but runtimes do
/// not.
fn kind(text: &str, index: usize) -> Result<LinuxNamespaceType, Error> {
    let known = LinuxNamespaceType::try_from(text).ok();
    let found = known.filter(|kind| namespace_name(*kind) == text);
    found.ok_or_else(|| {
        let kind = ErrorKind::UnknownName {
            value: text.to_owned(),
            expected: "a type of namespace such as network",
        };
        Error::new(format!("linux.namespaces[{index}].type"), kind)
    })
}

/// Returns the name in the runtime specification. The `oci-spec` crate prints abbreviations for
/// two.
pub(super) fn namespace_name(kind: LinuxNamespaceType) -> String {
    match kind {
        LinuxNamespaceType::Mount => "mount".to_owned(),
        LinuxNamespaceType::Network => "network".to_owned(),
        LinuxNamespaceType::Cgroup
        | LinuxNamespaceType::Ipc
        | LinuxNamespaceType::Pid
        | LinuxNamespaceType::Time
        | LinuxNamespaceType::User
        | LinuxNamespaceType::Uts => kind.to_string(),
    }
}

/// Replaces the NUMA policy for the memory of the container.
pub(super) fn memory_policy(
    spec: &mut Spec,
    asked: Option<&LinuxMemoryPolicy>,
) -> Result<(), Error> {
    let Some(LinuxMemoryPolicy { mode, nodes, flags }) = asked else {
        return Ok(());
    };
    let field = |name: &str| format!("linux.memory_policy.{name}");
    let oci_flags = flags.iter().enumerate().map(|(index, flag)| {
        named(*flag, MpolFlag::as_str_name, || field(&format!("flags[{index}]")))
    });
    let mut policy = OciPolicy::default();
    policy
        .set_mode(named(*mode, MpolMode::as_str_name, || field("mode"))?)
        .set_nodes(Some(nodes.clone()))
        .set_flags(some(oci_flags.collect::<Result<_, _>>()?));
    parts::linux(spec).set_memory_policy(Some(policy));
    Ok(())
}

/// Clears the settings of Resource Director Technology if the adjustment removes them, then applies
/// those that it has.
pub(super) fn rdt(spec: &mut Spec, asked: Option<&LinuxRdt>) {
    let Some(asked) = asked else {
        return;
    };
    if asked.remove {
        parts::linux(spec).set_intel_rdt(None);
    }
    let (id, schemata) = (asked.clos_id.clone(), asked.schemata.clone());
    let monitoring = asked.enable_monitoring;
    if id.is_none() && schemata.is_none() && monitoring.is_none() {
        return;
    }
    let rdt = parts::linux(spec).intel_rdt_mut().get_or_insert_default();
    rdt.set_clos_id(id.or(rdt.clos_id().clone()));
    rdt.set_schemata(schemata.or(rdt.schemata().clone()));
    rdt.set_enable_monitoring(monitoring.or(*rdt.enable_monitoring()));
}
