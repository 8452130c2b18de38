//! Fingerprints: identifiers of findings that are stable across runs and machines.

use super::check::{Subject, Verdict};
use super::hash::fingerprint_of;
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
/// A subject without a name is identified by its path within the image or on disk, or by its workload
/// and container. The events in a log are excluded, because they are only those that have occurred so
/// far.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, WorkloadPlace};

    fn of_verdict(path: impl Into<Place>, name: Option<&str>, target: &str) -> String {
        let subject = Subject {
            place: path.into(),
            name: name.map(Into::into),
            index: name.map(|_| "10".into()),
            ..Subject::default()
        };
        let verdict = Verdict {
            target: target.into(),
            rule: "R",
            ..Verdict::default()
        };
        fingerprint(&subject, &verdict)
    }

    #[test]
    fn the_fingerprint_is_fixed() {
        assert_eq!(
            of_verdict("/a", None, "t"),
            "af445eef6089d09dd458507ba38eb635"
        );
    }

    #[test]
    fn patch_releases_are_the_same_target() {
        let of_target = |target| of_verdict("/a", None, target);
        assert_eq!(of_target("containerd@2.4.2"), of_target("containerd@2.4"));
        assert_eq!(of_target("nri@0.12.5"), of_target("nri@0.12.6"));
        assert_ne!(of_target("containerd@2.4.2"), of_target("containerd@2.3.2"));
        assert_ne!(of_target("containerd@2.4"), of_target("cri-o@2.4"));
    }

    #[test]
    fn a_plugin_keeps_its_fingerprint_if_it_moves() {
        let of_name = |path: &str| of_verdict(path, Some("logger"), "t");
        assert_eq!(of_name("/a/10-logger"), of_name("/b/10-logger"));
        assert_eq!(
            of_verdict(
                Place::from("image.tar").in_layer(3).entry("/bin/p"),
                None,
                "t"
            ),
            of_verdict(
                Place::from("other.tar").in_layer(4).entry("/bin/p"),
                None,
                "t"
            )
        );
        assert_eq!(
            of_verdict(Place::from("/p").run_by(&[1]), None, "t"),
            of_verdict(Place::from("/p").run_by(&[2, 3]), None, "t")
        );
        assert_ne!(of_verdict("/a/p", None, "t"), of_verdict("/b/p", None, "t"));
        assert_ne!(of_verdict("/a/p", None, "t"), of_verdict("/a/p", None, "u"));
        assert_eq!(
            of_verdict("./go.mod", None, "t"),
            of_verdict("go.mod", None, "t")
        );
    }

    #[test]
    fn a_container_keeps_its_fingerprint_if_its_document_moves() {
        let of_container = |file: &str, document, line, container: &str| {
            let workload = WorkloadPlace {
                document: Some(document),
                line: Some(line),
                kind: "Pod".into(),
                name: "p".into(),
                container: container.into(),
                ..WorkloadPlace::default()
            };
            of_verdict(Place::from(file).in_workload(workload), None, "t")
        };
        let first = of_container("a.yaml", 1, 5, "c");
        assert_eq!(first, of_container("<stdin>", 7, 90, "c"));
        assert_ne!(first, of_container("a.yaml", 1, 5, "d"));
    }

    #[test]
    fn plugins_with_the_same_name_are_distinguished() {
        let of_program = |program: Option<&str>, events: &[&str], kind| {
            let subject = Subject {
                place: "/opt/nri/plugins/10-p".into(),
                name: Some("p".into()),
                kind,
                program: program.map(str::to_owned),
                events: events.iter().map(|event| (*event).to_owned()).collect(),
                ..Subject::default()
            };
            fingerprint(&subject, &Verdict::default())
        };
        let first = of_program(
            Some("example.com/a"),
            &["RunPodSandbox"],
            FileKind::GoBinary,
        );
        for other in [
            of_program(
                Some("example.com/b"),
                &["RunPodSandbox"],
                FileKind::GoBinary,
            ),
            of_program(None, &["RunPodSandbox"], FileKind::GoBinary),
            of_program(
                Some("example.com/a"),
                &["StopPodSandbox"],
                FileKind::GoBinary,
            ),
            of_program(
                Some("example.com/a"),
                &["RunPodSandbox", "StopPodSandbox"],
                FileKind::GoBinary,
            ),
            of_program(
                Some("example.com/a"),
                &["RunPodSandbox"],
                FileKind::RustBinary,
            ),
        ] {
            assert_ne!(first, other);
        }
        let events = ["StopPodSandbox", "RunPodSandbox"];
        let in_order = ["RunPodSandbox", "StopPodSandbox"];
        let kind = FileKind::GoBinary;
        assert_eq!(
            of_program(None, &events, kind),
            of_program(None, &in_order, kind)
        );
        // More events occur from one log to the next.
        assert_eq!(
            of_program(None, &events, FileKind::Log),
            of_program(None, &[], FileKind::Log)
        );
    }
}
