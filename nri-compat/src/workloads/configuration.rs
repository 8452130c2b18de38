//! Configurations of runtimes that are texts in other documents: in a ConfigMap, in the user data
//! of cloud-init, in the machine configuration of Talos, in a MachineConfig of OpenShift.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem;
use percent_encoding::percent_decode_str;

use super::node::Node;

/// The names of NRI's tables, as they begin in each version of a configuration.
const TABLES: [&str; 2] = ["io.containerd.nri", "crio.nri"];

/// A text in a document that names a table of NRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedText {
    /// The line where it starts, counted from 1.
    pub line: u32,
    /// The text, decoded.
    pub text: String,
}

/// Returns true if bytes name a table of NRI.
pub(crate) fn names_table(bytes: &[u8]) -> bool {
    TABLES.iter().any(|table| memmem::find(bytes, table.as_bytes()).is_some())
}

/// Returns the texts in a document that name a table of NRI.
pub(super) fn texts(document: &Node) -> Vec<EmbeddedText> {
    let decoded = document.texts().into_iter().map(|(line, text)| (line, decoded(text)));
    let named = decoded.filter(|(_, text)| names_table(text.as_bytes()));
    named.map(|(line, text)| EmbeddedText { line, text: text.into_owned() }).collect()
}

/// Returns the content of a `data:` URL, as which MachineConfigs contain files; other texts as they
/// are.
fn decoded(text: &str) -> Cow<'_, str> {
    let url = text.strip_prefix("data:").and_then(|url| url.split_once(','));
    let Some((media_type, data)) = url else {
        return text.into();
    };
    let bytes = if media_type.ends_with(";base64") {
        BASE64_STANDARD.decode(data.trim_end()).unwrap_or_default()
    } else {
        percent_decode_str(data).collect()
    };
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(document: serde_json::Value) -> Vec<String> {
        texts(&Node::from(document)).into_iter().map(|embedded| embedded.text).collect()
    }

    #[test]
    fn texts_are_found_at_any_depth_and_decoded() {
        let text = "[crio.nri]\nenable_nri = true\n";
        let files = |source: &str| {
            json!({"kind": "MachineConfig", "spec": {"config": {"storage": {"files": [
                {"path": "/etc/crio/crio.conf.d/10-nri", "contents": {"source": source}}
            ]}}}})
        };
        for source in [
            text.to_owned(),
            format!("data:text/plain;charset=utf-8;base64,{}", BASE64_STANDARD.encode(text)),
            "data:,%5Bcrio.nri%5D%0Aenable_nri%20%3D%20true%0A".to_owned(),
        ] {
            assert_eq!(found(files(&source)), [text], "{source}");
        }
        for other in ["data:text/plain;base64,=", "data:", "[crio.runtime]\n"] {
            assert!(found(files(other)).is_empty(), "{other}");
        }
    }
}
