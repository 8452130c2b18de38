//! Traces of NRI's protocol among the constants of programs: the names of its package and services.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::Unreadable;
use super::binary::Image;
use super::binary::window::{Needles, any_from_end, windows};
use crate::check::content::Content;

/// The prefix of the names of all services and messages. Programs that construct names at run time
/// contain no more than this.
pub(super) const PROTOCOL: &[u8] = b"nri.pkg.api";
/// Traces of connecting to a runtime: environment variables of plugins, and the socket of the
/// runtime.
const VARIABLE: &[u8] = b"NRI_PLUGIN_";
const SOCKET: &[u8] = b"nri/nri.sock";
/// The marker before every manifest that the derive of the crate `nri` embeds.
pub(super) const MANIFEST: &[u8] = b"NRI-PLUGIN-INFO\x01";
/// Further traces of plugins of NRI v0.1.0 and of the runtimes that start them: the package of
/// their types, an error of `skel.Run`, the plugin folder.
const ONE_SHOT: [&[u8]; 3] = [b"nri/types/v1", b"unable to encode plugin error", b"/opt/nri/bin"];
/// The suffixes of service names, after the name of the protocol.
const PLUGIN: &[u8] = b".v1alpha1.Plugin";
const RUNTIME: &[u8] = b".v1alpha1.Runtime";
/// A message whose name begins like that of the service.
const INSTANCE: &[u8] = b".v1alpha1.PluginInstance";
/// The continuation of the text of a proto after the name of the package.
const PROTO: &[u8] = b".v1alpha1;";
/// An upper bound for the length of a name in bytes.
const OVERLAP: u64 = 256;

/// The names of the protocol in a program.
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
    /// A variable that a runtime sets for plugins.
    pub(super) variable: bool,
    /// The socket of the runtime.
    pub(super) socket: bool,
}

/// Short parts of which each trace has one, and which few other constants have: the search takes
/// half as long for needles of two bytes as for needles of four.
const MARKS: [&[u8]; 3] = [b"nri", b"NR", b"ugin error"];

/// A trace, with the place of the mark in it.
type Trace = (usize, &'static [u8]);

/// The search for marks, and the traces.
static TRACES: LazyLock<(Needles, Vec<Trace>)> = LazyLock::new(|| {
    let all = [PROTOCOL, MANIFEST, VARIABLE, SOCKET].into_iter().chain(ONE_SHOT);
    (Needles::new(&MARKS), all.filter_map(with_mark).collect())
});

/// Returns the trace with the place of its mark.
fn with_mark(trace: &'static [u8]) -> Option<Trace> {
    let place = MARKS.iter().find_map(|mark| memmem::find(trace, mark))?;
    Some((place, trace))
}

/// Determines whether these parts of a program contain any trace of NRI. A program without one
/// neither speaks the protocol nor is a plugin of NRI v0.1.0. Starts at the end, where Go's linker
/// puts strings.
pub(super) fn has_traces(content: &dyn Content, parts: &[(u64, u64)]) -> Result<bool, Unreadable> {
    for part in parts.iter().rev() {
        if any_from_end(content, *part, OVERLAP, has_trace)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_trace(bytes: &[u8]) -> bool {
    let (marks, traces) = &*TRACES;
    marks.places(bytes).any(|mark| {
        traces.iter().any(|(into, trace)| {
            let start = mark.checked_sub(*into);
            start.is_some_and(|start| bytes.split_at(start).1.starts_with(trace))
        })
    })
}

/// Looks for names of the protocol in parts of a program.
pub(super) fn read(image: &Image<'_>, parts: &[(u64, u64)]) -> Result<Names, Unreadable> {
    let mut names = Names::default();
    let protocol = Finder::new(PROTOCOL);
    let (variable, socket) = (Finder::new(VARIABLE), Finder::new(SOCKET));
    for part in parts {
        windows(image.content, *part, OVERLAP, |_, bytes| {
            names.variable |= variable.find(bytes).is_some();
            names.socket |= socket.find(bytes).is_some();
            for at in protocol.find_iter(bytes) {
                names.see(bytes.split_at(at + PROTOCOL.len()).1);
            }
            None::<()>
        })?;
    }
    Ok(names)
}

impl Names {
    /// Returns true if a program may connect to a runtime.
    pub(super) fn connects(&self) -> bool {
        self.variable || self.socket
    }

    fn see(&mut self, rest: &[u8]) {
        self.protocol = true;
        self.plugin |= rest.starts_with(PLUGIN) && !rest.starts_with(INSTANCE);
        self.runtime |= rest.starts_with(RUNTIME);
        self.proto |= rest.starts_with(PROTO);
    }

    /// Returns a line of evidence for each trace.
    pub(super) fn describe(&self) -> Vec<String> {
        let is_other = !self.plugin && !self.runtime && !self.proto && self.protocol;
        let traces = [
            (
                self.plugin,
                "the name of the service that plugins serve (nri.pkg.api.v1alpha1.Plugin)",
            ),
            (
                self.runtime,
                "the name of the service that plugins register with (nri.pkg.api.v1alpha1.Runtime)",
            ),
            (self.proto, "the text of NRI's proto"),
            (is_other, "the name of NRI's protocol (nri.pkg.api)"),
        ];
        let found = traces.iter().filter(|(is_there, _)| *is_there);
        found.map(|(_, trace)| format!("it contains {trace}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trace_is_found() {
        assert_eq!(TRACES.1.len(), 7);
        for (_, trace) in &TRACES.1 {
            assert!(has_trace(&[&b"nrinri"[..], trace, b"nri"].concat()));
            assert!(!has_trace(trace.split_last().unwrap().1));
        }
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
