//! Recognises Kubernetes manifests by their first bytes and their name.

use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use crate::check::content::{File, HEAD};
use crate::check::evidence::text;
use crate::check::observations::Demand;
use crate::check::settings::has_name;
use crate::workloads::{manifest, mentions_published, names_table};

/// The field that every object has.
const API_VERSION: &[u8] = b"apiVersion";

/// The other field that every object has. Descriptions of web services have the first one, too.
static KIND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"kind["']?[ \t\r\n]*:"#).expect("the pattern is a constant"));

/// The field of a volume that is a path of the host, which patches have without an object around
/// it.
const HOST_PATH: &[u8] = b"hostPath";

/// The field of a mount that is a path in a container, which patches have, too.
const MOUNT_PATH: &[u8] = b"mountPath";

/// Returns true if a file may be a manifest, and is read as one. `is_recognised` is true if
/// another reader knows the file.
///
/// Files in archives and images are left out: an image often contains manifests that have nothing
/// to do with what runs.
pub(in crate::check) fn recognises(file: &File<'_>, demand: Demand, is_recognised: bool) -> bool {
    if file.place.entry.is_some() || file.place.image.is_some() {
        return false;
    }
    let extension = Path::new(&file.name).extension().unwrap_or_default().to_ascii_lowercase();
    let is_yaml = extension == "yaml" || extension == "yml";
    let is_named = demand == Demand::Named;
    if !is_yaml && !is_named && extension != "json" {
        return false;
    }
    // Files of tools that install charts or set up machines have no object.
    let text = manifest::decode(&file.head);
    let head = text.as_bytes();
    let begins = [API_VERSION, HOST_PATH, MOUNT_PATH].iter().any(|word| mentions(head, word))
        || !has_name(file) && names_table(head)
        || is_yaml && mentions_published(head);
    match (is_yaml, is_named) {
        // A long comment may come before the first object.
        (true, false) => begins || file.head.len() >= HEAD,
        (false, false) => begins,
        (true, true) => !file.head.is_empty() && (begins || !is_recognised),
        (false, true) => !is_recognised && (begins || is_later(file)),
    }
}

/// Returns true if bytes contain a word.
pub(super) fn mentions(bytes: &[u8], word: &[u8]) -> bool {
    memmem::find(bytes, word).is_some()
}

/// Returns true if a text may have a Kubernetes object, a part of one with a path of the host or a
/// mount, the name of a published plugin, or that of NRI's table in the configuration of a runtime.
pub(super) fn has_object(text: &[u8]) -> bool {
    mentions(text, API_VERSION) && KIND.is_match(text)
        || mentions(text, HOST_PATH)
        || mentions(text, MOUNT_PATH)
        || mentions_published(text)
        || names_table(text)
}

/// Returns true if the field comes after the first bytes of a text that the user named.
fn is_later(file: &File<'_>) -> bool {
    let is_text = !file.head.contains(&0) && file.head.len() >= HEAD;
    let all = is_text.then(|| text::bytes(file.content, manifest::MAX_BYTES));
    all.is_some_and(|all| all.is_ok_and(|all| mentions(&all, API_VERSION)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_two_fields() {
        for (text, expected) in [
            ("apiVersion: v1\nkind: Pod", true),
            (r#"{"kind" : "Pod", "apiVersion": "v1"}"#, true),
            ("{apiVersion: v1, 'kind':\tPod}", true),
            ("kind: Pod", false),
            ("apiVersion: v1", false),
            (r#"{"apiVersion": "2016-11-15", "kind_of": 1, "text": "a kind"}"#, false),
        ] {
            assert_eq!(has_object(text.as_bytes()), expected, "{text}");
        }
    }
}
