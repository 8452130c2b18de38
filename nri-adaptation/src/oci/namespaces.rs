//! Namespaces. A spec has at most one of each type.

use oci_spec::runtime::{LinuxNamespace as OciNamespace, LinuxNamespaceType, Spec};

use crate::oci::error::{Error, ErrorKind};
use crate::oci::names::filled;
use crate::oci::parts;
use nri::adjust::marker;
use nri::api::LinuxNamespace;

/// Removes marked namespaces, then sets the others. A namespace replaces the one of the same type,
/// or is appended.
pub(super) fn apply(spec: &mut Spec, asked: &[LinuxNamespace]) -> Result<(), Error> {
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
            namespace
                .set_typ(kind(r#type, index)?)
                .set_path(filled(path));
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

/// Every type of namespace.
const TYPES: [LinuxNamespaceType; 8] = [
    LinuxNamespaceType::Cgroup,
    LinuxNamespaceType::Ipc,
    LinuxNamespaceType::Mount,
    LinuxNamespaceType::Network,
    LinuxNamespaceType::Pid,
    LinuxNamespaceType::Time,
    LinuxNamespaceType::User,
    LinuxNamespaceType::Uts,
];

/// Parses the type of a namespace. The `oci-spec` crate also accepts abbreviations, but runtimes do
/// not.
fn kind(text: &str, index: usize) -> Result<LinuxNamespaceType, Error> {
    let found = TYPES.into_iter().find(|kind| name(*kind) == text);
    found.ok_or_else(|| {
        let kind = ErrorKind::UnknownName {
            value: text.to_owned(),
            expected: "a type of namespace such as network",
        };
        Error::new(format!("linux.namespaces[{index}].type"), kind)
    })
}

/// Returns the name in the runtime specification. The `oci-spec` crate prints abbreviations for some.
pub(super) fn name(kind: LinuxNamespaceType) -> &'static str {
    match kind {
        LinuxNamespaceType::Cgroup => "cgroup",
        LinuxNamespaceType::Ipc => "ipc",
        LinuxNamespaceType::Mount => "mount",
        LinuxNamespaceType::Network => "network",
        LinuxNamespaceType::Pid => "pid",
        LinuxNamespaceType::Time => "time",
        LinuxNamespaceType::User => "user",
        LinuxNamespaceType::Uts => "uts",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::apply;
    use crate::oci::fixtures::{applied, raw, spec};
    use nri::adjust::Adjustment;
    use nri::api::{ContainerAdjustment, LinuxContainerAdjustment, LinuxNamespace};

    #[test]
    fn namespaces_are_replaced_in_place_removed_and_appended() {
        let before = spec(json!({"linux": {"namespaces": [
            {"type": "pid", "path": "/proc/1/ns/pid"}, {"type": "network"}, {"type": "ipc"},
        ]}}));
        let asked = [
            ("-ipc", ""),
            ("network", "/run/ns"),
            ("pid", ""),
            ("time", ""),
        ];
        let after = applied(before, &raw(adjustment(&asked))).unwrap();
        assert_eq!(
            after["linux"]["namespaces"],
            json!([{"type": "pid"}, {"type": "network", "path": "/run/ns"}, {"type": "time"}])
        );
    }

    #[test]
    fn an_unknown_type_is_an_error_and_changes_nothing() {
        for unknown in ["net", "mnt", "-", "", "-nett", "NETWORK"] {
            let mut spec = spec(json!({"annotations": {"a": "1"}}));
            let before = spec.clone();
            let mut asked = adjustment(&[("pid", ""), (unknown, "")]);
            asked.annotations = Adjustment::new()
                .annotation("a", "2")
                .container()
                .annotations
                .clone();
            let error = apply(&mut spec, &asked).unwrap_err();
            assert_eq!(error.field(), "linux.namespaces[1].type", "{unknown}");
            assert_eq!(spec, before);
        }
    }

    fn adjustment(namespaces: &[(&str, &str)]) -> ContainerAdjustment {
        let namespaces = namespaces.iter().map(|(kind, path)| LinuxNamespace {
            r#type: (*kind).to_owned(),
            path: (*path).to_owned(),
        });
        let linux = LinuxContainerAdjustment {
            namespaces: namespaces.collect(),
            ..LinuxContainerAdjustment::default()
        };
        ContainerAdjustment {
            linux: Some(linux),
            ..ContainerAdjustment::default()
        }
    }
}
