//! Reads the manifest that the derive of the crate `nri` embeds; its module `manifest` documents
//! the layout, and a test compares both.

use nri_schema::version::without_v;
use serde::Deserialize;

use super::evidence;
use crate::check::content::File;
use crate::check::events::proto_name;
use crate::check::evidence::identity;
use crate::check::evidence::protocol::MANIFEST;
use crate::facts::EVENTS;
use crate::sighting::{Built, Certainty, Events, Evidence, FileKind, Interface, Role, Sighting};

/// An upper bound for the size of marker, length and text in bytes.
pub(super) const LONGEST: u64 = 8192;
/// The maximum length of the text in bytes.
const MAX_LEN: usize = 4096;

/// A plugin's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Manifest {
    name: Option<String>,
    index: Option<String>,
    nri: String,
    protocol: String,
    min_protocol: Option<String>,
    events: Vec<String>,
    required: Vec<String>,
    /// Absent in manifests of older versions of the crate.
    #[serde(default)]
    required_fields: Vec<String>,
    deprecated: Vec<String>,
}

/// The data after a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Embedded {
    /// The manifest of a plugin.
    Plugin(Box<Manifest>),
    /// A note that the program is a tool that knows NRI and is not a plugin, with its name.
    Tool(String),
    /// A truncated or damaged manifest.
    Damaged,
}

/// The text of a manifest.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Tool {
        #[serde(rename = "tool")]
        name: String,
    },
    Plugin(Box<Manifest>),
}

/// Parses the start of some bytes, marker included; `None` if the marker is there for another
/// reason, as in programs that search for it.
pub(super) fn parse(bytes: &[u8]) -> Option<Embedded> {
    let (length, rest) = bytes.strip_prefix(MANIFEST)?.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let is_object = rest.first() == Some(&b'{');
    if length > MAX_LEN {
        // The text may be complete although its length is damaged.
        return rest.starts_with(b"{\"").then_some(Embedded::Damaged);
    }
    let text = rest.get(..length).unwrap_or_default();
    match serde_json::from_slice(text) {
        Ok(Text::Tool { name }) => Some(Embedded::Tool(name)),
        Ok(Text::Plugin(manifest)) => Some(Embedded::Plugin(manifest)),
        Err(_) => is_object.then_some(Embedded::Damaged),
    }
}

impl Manifest {
    pub(super) fn sighting(&self, file: &File<'_>) -> Sighting {
        let (index, name) = identity(&file.name);
        let funnelled = self.deprecated.iter().any(|rpc| rpc == "StateChange");
        Sighting {
            program: self.name.clone(),
            place: file.place.clone(),
            kind: FileKind::RustBinary,
            role: Role::Plugin,
            // A launched plugin has the name of its file.
            name: name.or_else(|| self.name.clone()),
            index: index.or_else(|| self.index.clone()),
            nri: Built { version: Some(release(&self.protocol)), ..Built::default() },
            interface: if funnelled { Interface::Funnelled } else { Interface::Dedicated },
            events: Events { names: rpcs(&self.events), certainty: Certainty::Exact },
            required: rpcs(&self.required),
            min_protocol: self.min_protocol.as_deref().map(release),
            evidence: self.evidence(),
            ..Sighting::default()
        }
    }

    fn evidence(&self) -> Vec<Evidence> {
        let oldest = self.min_protocol.as_deref().map(release);
        let details = [
            Some(format!(
                "it has a manifest: made with crate nri {}, for protocols up to {}",
                self.nri,
                release(&self.protocol)
            )),
            listed(&self.deprecated, "it has handlers of deprecated calls:"),
            oldest.map(|oldest| format!("it supports {oldest} and later")),
            listed(&self.required_fields, "it refuses to run under a runtime that ignores"),
            listed(&rpcs(&self.required), "it refuses to run without"),
        ];
        details.into_iter().flatten().map(evidence).collect()
    }
}

/// Returns these names after the words, if there are any.
fn listed(names: &[String], words: &str) -> Option<String> {
    (!names.is_empty()).then(|| format!("{words} {}", names.join(", ")))
}

/// Returns the release with a `v`, such as `v0.12.0`.
fn release(protocol: &str) -> String {
    format!("v{}", without_v(protocol))
}

/// Converts the names of events in the protos to RPC names, in the order of the event numbers; an
/// event that is too new keeps its name.
fn rpcs(events: &[String]) -> Vec<String> {
    let known = EVENTS.iter().filter(|rpc| events.contains(&proto_name(rpc)));
    let mut rpcs: Vec<String> = known.map(|rpc| (*rpc).to_owned()).collect();
    let is_new = |event: &&String| !EVENTS.iter().any(|rpc| proto_name(rpc) == **event);
    rpcs.extend(events.iter().filter(is_new).cloned());
    rpcs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_in_the_order_of_their_numbers() {
        let events = ["STOP_CONTAINER", "NEWER", "RUN_POD_SANDBOX"].map(str::to_owned);
        assert_eq!(rpcs(&events), ["RunPodSandbox", "StopContainer", "NEWER"]);
    }
}
