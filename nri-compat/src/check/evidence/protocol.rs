//! NRI's protocol as programs carry it: names of its package, services and RPCs among their constants.

use super::Unreadable;
use super::binary::Image;
use super::binary::window::{Flow, windows};
use crate::check::events::EVENTS;

/// What the names of all of NRI's packages, services and messages begin with. Programs that put names together when
/// they run carry no more than this.
pub(super) const PROTOCOL: &[u8] = b"nri.pkg.api";
/// What is behind it in the name of a service.
const PLUGIN: &[u8] = b".v1alpha1.Plugin";
const RUNTIME: &[u8] = b".v1alpha1.Runtime";
/// A message whose name begins like that of the service.
const INSTANCE: &[u8] = b".v1alpha1.PluginInstance";
/// How the text of a proto goes on behind the name of the package.
const PROTO: &[u8] = b".v1alpha1;";
/// More than the longest name of an RPC takes, in bytes.
const OVERLAP: u64 = 256;
/// The RPC that carried events before each had one of its own.
const STATE_CHANGE: &str = "StateChange";

/// What a program carries of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The name of the protocol itself.
    pub(super) protocol: bool,
    /// The name of the service that plugins serve.
    pub(super) plugin: bool,
    /// The name of the service that plugins register with.
    pub(super) runtime: bool,
    /// The text of the proto.
    pub(super) proto: bool,
    /// Names of RPCs that carry events, in order of event number, `StateChange` last.
    rpcs: Vec<&'static str>,
}

/// Looks for names of the protocol in parts of a program.
pub(super) fn read(image: &Image<'_>, parts: &[(u64, u64)]) -> Result<Names, Unreadable> {
    let mut names = Names::default();
    let protocol = memchr::memmem::Finder::new(PROTOCOL);
    for (offset, length) in parts {
        windows(image.content, *offset, *length, OVERLAP, |_, bytes| {
            for at in protocol.find_iter(bytes) {
                names.see(bytes.split_at(at + PROTOCOL.len()).1);
            }
            Flow::On
        })?;
    }
    if names.protocol {
        names.rpcs = rpcs(image, parts)?;
    }
    Ok(names)
}

fn rpcs(image: &Image<'_>, parts: &[(u64, u64)]) -> Result<Vec<&'static str>, Unreadable> {
    let mut wanted: Vec<&'static str> = EVENTS.into_iter().chain([STATE_CHANGE]).collect();
    let all = wanted.clone();
    for (offset, length) in parts {
        windows(image.content, *offset, *length, OVERLAP, |_, bytes| {
            wanted.retain(|rpc| !has_name(bytes, rpc));
            if wanted.is_empty() {
                Flow::Stop
            } else {
                Flow::On
            }
        })?;
    }
    Ok(all
        .into_iter()
        .filter(|rpc| !wanted.contains(rpc))
        .collect())
}

/// Whether a name is there that is not the end of a longer one, as `UpdatePodSandbox` is of `PostUpdatePodSandbox`.
fn has_name(bytes: &[u8], name: &str) -> bool {
    let starts = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_none_or(|before| !before.is_ascii_alphabetic())
            // Go keeps strings without anything between them.
            || before.is_some_and(u8::is_ascii_lowercase) && !bytes.split_at(*at).0.ends_with(b"Post")
    };
    memchr::memmem::find_iter(bytes, name).any(|at| starts(&at))
}

impl Names {
    fn see(&mut self, rest: &[u8]) {
        self.protocol = true;
        self.plugin |= rest.starts_with(PLUGIN) && !rest.starts_with(INSTANCE);
        self.runtime |= rest.starts_with(RUNTIME);
        self.proto |= rest.starts_with(PROTO);
    }

    /// Returns a line of evidence for each thing that is there.
    pub(super) fn describe(&self) -> Vec<String> {
        let services = [
            (
                self.plugin,
                "the service that plugins serve (nri.pkg.api.v1alpha1.Plugin)",
            ),
            (
                self.runtime,
                "the service that plugins register with (nri.pkg.api.v1alpha1.Runtime)",
            ),
        ];
        let mut all: Vec<String> = services
            .iter()
            .filter(|(there, _)| *there)
            .map(|(_, service)| format!("it carries the name of {service}"))
            .collect();
        if self.proto {
            all.push("it carries the text of NRI's proto".to_owned());
        } else if all.is_empty() && self.protocol {
            all.push("it carries the name of NRI's protocol (nri.pkg.api)".to_owned());
        }
        if !self.rpcs.is_empty() {
            let without = if self.rpcs.contains(&STATE_CHANGE) {
                ""
            } else {
                ", but not StateChange"
            };
            all.push(format!(
                "it carries the RPC names {}{without}",
                self.rpcs.join(", ")
            ));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_the_end_of_another() {
        assert!(has_name(b"\0UpdatePodSandbox\0", "UpdatePodSandbox"));
        assert!(has_name(b"wordUpdatePodSandboxmore", "UpdatePodSandbox"));
        assert!(!has_name(b"\0PostUpdatePodSandbox\0", "UpdatePodSandbox"));
    }

    #[test]
    fn a_message_is_not_the_service() {
        let names = |text: &[u8]| {
            let mut names = Names::default();
            names.see(text);
            (names.plugin, names.runtime, names.proto)
        };
        assert_eq!(names(b".v1alpha1.Plugincrypto/rsa"), (true, false, false));
        assert_eq!(names(b".v1alpha1.PluginInstance"), (false, false, false));
        assert_eq!(names(b".v1alpha1;"), (false, false, true));
        assert_eq!(names(b".v1alpha1.Runtime"), (false, true, false));
    }
}
