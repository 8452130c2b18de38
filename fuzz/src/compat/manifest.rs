//! Reads any bytes as a Kubernetes manifest: to the end, without a panic, with places within the
//! file. A valid pod in a document of its own after them is found.

use nri_compat::workloads::manifest::{self, Item};

const SOUND: &str = "\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: last}\nspec:\n  volumes: [{name: v, hostPath: {path: /run/nri}}]\n  containers: [{name: last, volumeMounts: [{name: v}]}]\n";

/// Returns the name of the last candidate.
fn last_candidate(text: &str) -> Option<String> {
    // A carriage return ends a line in YAML.
    let lines = text.replace("\r\n", "\n").matches(['\r', '\n']).count() as u32 + 1;
    let mut documents = 0;
    let mut last = None;
    manifest::read(text).into_iter().for_each(|item| match item {
        Item::Object => {}
        Item::Mention(mention) => {
            assert!(mention.line <= lines);
            assert!(!mention.kind.to_string().contains('\n'));
        }
        Item::Embedded(embedded) => assert!(embedded.line <= lines),
        Item::Workload(workload) => {
            let document = workload.place.document.expect("it is in a document");
            assert!(document >= documents.max(1));
            documents = document;
            for candidate in workload.candidates() {
                assert!(!candidate.reason().contains('\n'));
                let line = candidate.line;
                assert!(line > 0 && line <= lines);
                last = Some(candidate.name.clone());
            }
        }
        Item::Unreadable(error) => {
            assert!(error.document >= documents.max(1));
            documents = error.document;
            assert!(error.line <= lines, "{error:?} {lines}");
            assert!(!error.reason.is_empty() && !error.reason.contains('\n'));
        }
    });
    last
}

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let text = manifest::decode(bytes);
    last_candidate(&text);
    // YAML forbids NUL and other controls, after which nothing is read.
    if text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')) {
        assert_eq!(last_candidate(&format!("{text}{SOUND}")).as_deref(), Some("last"));
    }
}
