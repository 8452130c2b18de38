//! Annotations and sysctls: maps of strings in which a marked key removes an entry.

use std::collections::{BTreeMap, HashMap};

use oci_spec::runtime::Spec;

use crate::oci::callbacks::Callbacks;
use crate::oci::error::Error;
use crate::oci::parts;
use nri::adjust::marker;

pub(super) fn annotations(
    spec: &mut Spec,
    asked: &BTreeMap<String, String>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let mut asked = asked.clone();
    callbacks.filter_annotations(&mut asked)?;
    merge(spec.annotations_mut(), asked);
    Ok(())
}

pub(super) fn sysctl(
    spec: &mut Spec,
    asked: &BTreeMap<String, String>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let mut asked = asked.clone();
    callbacks.filter_sysctl(&mut asked)?;
    if !asked.is_empty() {
        merge(parts::linux(spec).sysctl_mut(), asked);
    }
    Ok(())
}

/// Removes the marked entries, then sets the others. An entry that is both removed and set is set.
pub(super) fn merge<V>(map: &mut Option<HashMap<String, V>>, asked: BTreeMap<String, V>) {
    if asked.is_empty() {
        return;
    }
    let map = map.get_or_insert_default();
    for key in asked.keys().filter_map(|key| marker::removed(key)) {
        map.remove(key);
    }
    map.extend(
        asked
            .into_iter()
            .filter(|(key, _)| marker::removed(key).is_none()),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::ErrorKind;
    use crate::oci::fixtures::{applied, generated, spec};
    use nri::adjust::Adjustment;

    #[test]
    fn entries_are_set_replaced_and_removed() {
        let before = spec(json!({
            "annotations": {"kept": "1", "gone": "1", "new": "old"},
            "linux": {"sysctl": {"net.gone": "1"}},
        }));
        let adjustment = Adjustment::new()
            .remove_annotation("gone")
            .replace_annotation("new", "2")
            .remove_sysctl("net.gone")
            .sysctl("net.new", "1");
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(after["annotations"], json!({"kept": "1", "new": "2"}));
        assert_eq!(after["linux"]["sysctl"], json!({"net.new": "1"}));
    }

    #[test]
    fn filters_change_and_refuse() {
        let adjustment = Adjustment::new().annotation("a", "1").sysctl("s", "1");
        let after = generated(json!({}), &adjustment, |generator| {
            generator
                .with_annotation_filter(|annotations| {
                    annotations.remove("a");
                    annotations.insert("b".to_owned(), "2".to_owned());
                    Ok(())
                })
                .with_sysctl_filter(|sysctl| {
                    sysctl.clear();
                    Ok(())
                })
        });
        let after = after.unwrap();
        assert_eq!(after["annotations"], json!({"b": "2"}));
        assert_eq!(after["linux"]["sysctl"], json!(null));

        let refused = generated(json!({}), &adjustment, |generator| {
            generator.with_annotation_filter(|_| Err("not here".into()))
        });
        let refused = refused.unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Refused(_)));
        assert_eq!(refused.to_string(), "cannot apply annotations: not here");
    }
}
