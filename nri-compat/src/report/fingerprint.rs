//! Fingerprints: identifiers of findings that are stable across runs and machines.

use super::check::{Incident, Subject, Verdict};
use crate::sighting::FileKind;

/// Returns the fingerprint of a verdict, as 32 hexadecimal digits: of its rule, its target and the
/// plugin.
///
/// | part | unaffected by | changed by |
/// | --- | --- | --- |
/// | rule | new wording, other levels | another kind of finding |
/// | target, major and minor version | a patch release of the runtime or of NRI | another minor release |
/// | kind of file | | a binary instead of a log |
/// | index and name | another folder, image, layer, node, process | a plugin with another name |
/// | program: a Go program's main package, the name in a manifest | a rebuild, a patch release of the plugin | another program under the same name |
/// | events that it handles | a rebuild, a patch release that handles the same | other events |
///
/// A subject without a name is identified by its path within the image or on disk, or by its
/// workload and container. The events in a log are excluded, because they are only those that have
/// occurred so far.
pub fn fingerprint(subject: &Subject, verdict: &Verdict) -> String {
    let plugin = identity(subject);
    let mut parts = vec![
        verdict.rule,
        series(&verdict.target),
        subject.kind.as_str(),
        plugin.as_str(),
        subject.program.as_deref().unwrap_or_default(),
    ];
    parts.extend(events(subject));
    fingerprint_of(&parts)
}

/// Returns the fingerprint of an incident: of its rule, the plugin, and the setting if it is about
/// one. The number of messages and their texts do not matter.
pub fn fingerprint_of_incident(subject: &Subject, incident: &Incident) -> String {
    let plugin = identity(subject);
    let parts: Vec<&str> = [incident.rule, subject.kind.as_str(), plugin.as_str()]
        .into_iter()
        .chain(incident.setting.as_deref())
        .collect();
    fingerprint_of(&parts)
}

/// Returns `10-logger`, or the path without the image and the layer, whose number changes with each
/// build, and without the processes that run it. In a workload, the path starts with the workload
/// and the container: the files of rendered manifests, and their order, are temporary.
pub(crate) fn identity(subject: &Subject) -> String {
    if subject.name.is_some() {
        return subject.label();
    }
    let path = subject.place.path();
    if let Some(workload) = &subject.place.workload {
        let entry = subject.place.entry.iter().cloned();
        let parts: Vec<String> = [workload.path()].into_iter().chain(entry).collect();
        return parts.join(": ");
    }
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// Returns the events that a subject handles, sorted; none if they are only known from logs.
pub(crate) fn events(subject: &Subject) -> Vec<&str> {
    if matches!(subject.kind, FileKind::Log | FileKind::DeprecationList) {
        return Vec::new();
    }
    let mut events: Vec<&str> = subject.events.iter().map(String::as_str).collect();
    events.sort_unstable();
    events.dedup();
    events
}

/// Returns `containerd@2.4` for `containerd@2.4.2`.
pub(crate) fn series(target: &str) -> &str {
    let version = target.find('@').map_or(0, |at| at + 1);
    let dots = target.match_indices('.').filter(|(at, _)| *at > version);
    match dots.map(|(at, _)| at).nth(1) {
        Some(end) => &target[..end],
        None => target,
    }
}

/// Returns the fingerprint of the parts, in their order, as 32 hexadecimal digits.
pub(super) fn fingerprint_of(parts: &[&str]) -> String {
    // A zero byte after each part distinguishes `a`, `bc` from `ab`, `c`.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:032x}", fnv(bytes))
}

/// Computes the 128-bit FNV-1a hash, a fixed function that needs no crate. It is not cryptographic,
/// which a baseline does not need.
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
fn fnv(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, WorkloadPlace};

    fn of_subject(subject: &Subject, target: &str) -> String {
        let verdict = Verdict { target: target.into(), rule: "R", ..Verdict::default() };
        fingerprint(subject, &verdict)
    }

    fn of_place(place: impl Into<Place>) -> String {
        let subject = Subject { place: place.into(), ..Subject::default() };
        of_subject(&subject, "t")
    }

    /// Returns the fingerprint of a plugin with a name.
    fn of_plugin(path: &str, program: &str, events: &[&str], kind: FileKind) -> String {
        let subject = Subject {
            place: path.into(),
            name: Some("p".into()),
            kind,
            program: Some(program.to_owned()),
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            ..Subject::default()
        };
        of_subject(&subject, "t")
    }

    #[test]
    fn the_fingerprint_is_fixed() {
        assert_eq!(of_place("/a"), "af445eef6089d09dd458507ba38eb635");
    }

    #[test]
    fn patch_releases_are_the_same_target() {
        let of_target = |target| of_subject(&Subject::default(), target);
        assert_eq!(of_target("nri@0.12.5"), of_target("nri@0.12.6"));
        assert_eq!(of_target("containerd@2.4.2"), of_target("containerd@2.4"));
        assert_ne!(of_target("nri@0.12.5"), of_target("nri@0.11.5"));
    }

    #[test]
    fn a_plugin_keeps_its_fingerprint_if_it_moves() {
        let in_layer =
            |image: &str, layer| of_place(Place::from(image).in_layer(layer).entry("/bin/p"));
        let in_container = |file: &str, line, container: &str| {
            let workload = WorkloadPlace {
                line: Some(line),
                container: container.into(),
                ..WorkloadPlace::default()
            };
            of_place(Place::from(file).in_workload(workload))
        };
        let first = in_container("a.yaml", 5, "c");
        let run_by = |pids: &[u32]| of_place(Place::from("/p").run_by(pids));
        for (one, other) in [
            (in_layer("image.tar", 3), in_layer("other.tar", 4)),
            (run_by(&[1]), run_by(&[2, 3])),
            (of_place("./go.mod"), of_place("go.mod")),
            (first.clone(), in_container("<stdin>", 90, "c")),
        ] {
            assert_eq!(one, other);
        }
        assert_ne!(first, in_container("a.yaml", 5, "d"));
        assert_ne!(of_place("/a/p"), of_place("/b/p"));
    }

    #[test]
    fn plugins_with_the_same_name_are_distinguished() {
        let (run, stop, go) = ("RunPodSandbox", "StopPodSandbox", FileKind::GoBinary);
        let first = of_plugin("/a/p", "a", &[run, stop], go);
        assert_eq!(first, of_plugin("/b/p", "a", &[stop, run], go));
        assert_ne!(first, of_plugin("/a/p", "b", &[run, stop], go));
        assert_ne!(first, of_plugin("/a/p", "a", &[stop], go));
        // More events occur from one log to the next.
        let logged = of_plugin("/a/p", "a", &[run, stop], FileKind::Log);
        assert_eq!(logged, of_plugin("/a/p", "a", &[], FileKind::Log));
        assert_ne!(first, logged);
    }
}
