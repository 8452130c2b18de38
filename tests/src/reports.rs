//! Hand-written check reports, one for each thing that a renderer must show.

mod parts;

use nri_compat::place::{Place, WorkloadPlace};
use nri_compat::report::check::{
    CheckReport, ClusterView, NodePool, Outcome, PlannedRemoval, SkipKind, Skipped, Subject,
    Summary, SuppressedBy, Suppression,
};
use nri_compat::rules::incident::Fate;
use nri_compat::sighting::{Built, Evidence, FileKind, Occurrences, Role};
use parts::{
    evidence, incident, incompatible, judged, ok, plugin, state_change, strings, summary, target,
    unknown,
};

/// Returns every report with its name.
pub fn all() -> Vec<(&'static str, CheckReport)> {
    let mut all = vec![
        ("empty", CheckReport::default()),
        ("one_ok", one_ok()),
        ("each_verdict", each_verdict()),
        ("several_targets", several_targets()),
        ("suppressed", suppressed()),
        ("skipped", skipped()),
        ("cluster", cluster()),
        ("incidents", incidents()),
        ("hostile", hostile()),
    ];
    all.iter_mut().for_each(|(_, report)| report.count());
    all
}

fn one_ok() -> CheckReport {
    let mut newest = target("nri@0.12.5", "v0.12.5");
    newest.by_default = true;
    let mut subject = plugin("logger", "10");
    subject.nri = Built { version: None, at_least: Some("v0.12.0".into()), below: None };
    CheckReport {
        targets: vec![newest],
        subjects: vec![judged(subject, vec![ok("nri@0.12.5")])],
        summary: summary("/opt/nri/plugins", 1),
        ..CheckReport::default()
    }
}

fn each_verdict() -> CheckReport {
    let to = "containerd@2.4";
    let mut seen = judged(plugin("seen", "40"), vec![state_change(to, Outcome::Deprecated)]);
    seen.place = "journal".into();
    seen.kind = FileKind::Log;
    seen.occurrences = Some(Occurrences {
        count: 12,
        first: Some("2026-11-01T08:00:00Z".into()),
        last: Some("2026-11-20T09:30:00Z".into()),
    });
    let runtime = Subject {
        place: "/usr/bin/containerd".into(),
        kind: FileKind::GoBinary,
        role: Role::Runtime,
        nri: plugin("", "").nri,
        ..Subject::default()
    };
    CheckReport {
        targets: vec![target(to, "v0.12.2")],
        subjects: vec![
            judged(plugin("good", "00"), vec![ok(to)]),
            judged(plugin("unclear", "10"), vec![unknown(to)]),
            judged(plugin("old", "20"), vec![state_change(to, Outcome::Deprecated)]),
            judged(plugin("older", "25"), vec![state_change(to, Outcome::Removed)]),
            judged(plugin("newer", "30"), vec![incompatible(to)]),
            seen,
            runtime,
        ],
        summary: summary("/", 6),
        ..CheckReport::default()
    }
}

fn several_targets() -> CheckReport {
    let mut planned = target("containerd@2.7", "v0.12.5");
    planned.planned = true;
    let targets = [
        target("containerd@2.3", "v0.12.0"),
        target("containerd@2.4", "v0.12.2"),
        planned,
        target("cri-o@1.36", "v0.12.0"),
    ];
    let old = vec![
        state_change("containerd@2.3", Outcome::Deprecated),
        state_change("containerd@2.4", Outcome::Deprecated),
        state_change("containerd@2.7", Outcome::Removed),
        state_change("cri-o@1.36", Outcome::Deprecated),
    ];
    let good = targets.iter().map(|target| ok(&target.name)).collect();
    let mut far = plugin("device-injector-with-a-long-name", "05");
    far.place = Place::from("registry.tar")
        .in_layer(3)
        .entry("/usr/local/libexec/nri/plugins/05-device-injector-with-a-long-name");
    CheckReport {
        targets: targets.to_vec(),
        subjects: vec![judged(plugin("old", "20"), old), judged(far, good)],
        summary: summary("registry.tar", 2),
        ..CheckReport::default()
    }
}

/// Returns a report with everything that the command adds on a node: its name, the time, and the
/// expected date of a removal.
pub fn on_a_node() -> CheckReport {
    let to = "containerd@2.4";
    let mut summary = summary("/opt/nri/plugins", 1);
    summary.at = Some("2026-11-20T09:30:00Z".into());
    summary.node = Some("node-1".into());
    let mut report = CheckReport {
        data_date: "2026-11-18".into(),
        targets: vec![target(to, "v0.12.2")],
        removals: vec![PlannedRemoval {
            when: "containerd 2.7".into(),
            expected: "2027-09-16".into(),
        }],
        subjects: vec![judged(plugin("old", "20"), vec![state_change(to, Outcome::Deprecated)])],
        summary,
        ..CheckReport::default()
    };
    report.count();
    report
}

fn suppressed() -> CheckReport {
    let to = "containerd@2.4";
    let suppressed = |by, reason: &str| {
        let mut verdict = state_change(to, Outcome::Deprecated);
        verdict.suppressed = Some(Suppression { by, reason: reason.into() });
        verdict
    };
    CheckReport {
        targets: vec![target(to, "v0.12.2")],
        subjects: vec![
            judged(plugin("known", "10"), vec![suppressed(SuppressedBy::Baseline, "")]),
            judged(
                plugin("leaving", "20"),
                vec![suppressed(SuppressedBy::Policy, "goes away with the next image")],
            ),
            judged(plugin("new", "30"), vec![state_change(to, Outcome::Deprecated)]),
        ],
        policy: strings(&[
            "nri-compat.toml:9: the ignore of `99-gone` matches nothing",
            "nri-compat.toml:14: the ignore of `20-*` expired on 2026-10-31",
        ]),
        summary: summary("/opt/nri/plugins", 3),
        ..CheckReport::default()
    }
}

fn skipped() -> CheckReport {
    let image = Place::from("image.tar").in_layer(2);
    CheckReport {
        targets: vec![target("containerd@2.4", "v0.12.2")],
        skipped: vec![
            Skipped::new("/opt/nri/plugins/10-private", SkipKind::Permission, "permission denied"),
            Skipped::new(image, SkipKind::Truncated, "cut short"),
        ],
        summary: Summary { skipped: 2, ..summary("/opt/nri/plugins", 0) },
        ..CheckReport::default()
    }
}

/// Returns a report of a cluster with an old plugin on two of its pools, and a workload without
/// pods.
fn cluster() -> CheckReport {
    let mut old = Subject {
        place: in_cluster("nri-logger"),
        verdicts: vec![
            ok("containerd@2.2.3"),
            ok("cri-o@1.35.1"),
            state_change("containerd@2.7", Outcome::Removed),
        ],
        nodes: strings(&["worker-1", "worker-2", "worker-3"]),
        ..plugin("logger", "10")
    };
    old.evidence.push(Evidence {
        reader: "cluster",
        detail: "mounts /var/run/nri of the host: the NRI socket".into(),
    });
    let idle = Subject { place: in_cluster("idle"), nodes: Vec::new(), ..old.clone() };
    let pool = |runtime: &str, target: &str, nodes: &[&str]| NodePool {
        runtime: runtime.into(),
        target: Some(target.into()),
        nodes: strings(nodes),
        ..NodePool::default()
    };
    CheckReport {
        data_date: "2026-10-23".into(),
        targets: vec![
            target("containerd@2.2.3", "v0.11.0"),
            target("cri-o@1.35.1", "v0.11.0"),
            target("containerd@2.7", "v0.12.5"),
        ],
        subjects: vec![idle, old],
        skipped: vec![Skipped::new(
            "cluster prod: jobs.batch",
            SkipKind::Permission,
            "not permitted to list jobs.batch in the whole cluster",
        )],
        cluster: Some(ClusterView {
            name: "prod".into(),
            server: "https://api.example.org:6443".into(),
            id: Some("5a".repeat(32)),
            namespace: None,
            pods: 120,
            workloads: 14,
            pools: vec![
                pool("containerd://2.2.3", "containerd@2.2.3", &["worker-1", "worker-2"]),
                pool("cri-o://1.35.1", "cri-o@1.35.1", &["worker-3"]),
                NodePool {
                    runtime: "docker://24.0.7".into(),
                    note: Some("this runtime does not support NRI".into()),
                    is_without_plugins: true,
                    nodes: strings(&["old"]),
                    ..NodePool::default()
                },
            ],
        }),
        summary: Summary {
            skipped: 1,
            ..summary("cluster prod (https://api.example.org:6443)", 2)
        },
        ..CheckReport::default()
    }
}

/// Returns the place of a program in the image of a DaemonSet.
fn in_cluster(name: &str) -> Place {
    let container = WorkloadPlace {
        kind: "DaemonSet".into(),
        namespace: Some("kube-system".into()),
        name: name.into(),
        container: "plugin".into(),
        ..WorkloadPlace::default()
    };
    Place::from("cluster prod")
        .in_workload(container)
        .in_image(&format!("example.org/{name}:1"))
        .entry("/bin/plugin")
}

/// Returns a report about a log and a configuration: incidents of a plugin and of the runtime, and
/// a finding about a setting, one of them suppressed.
fn incidents() -> CheckReport {
    let closed = incident("INCIDENT_EVENT_TIMEOUT", Fate::Closed, "journal:12");
    let mut unknown = incident("INCIDENT_EVENTS_UNKNOWN", Fate::Refused, "journal:40");
    unknown.suppressed =
        Some(Suppression { by: SuppressedBy::Policy, reason: "upgraded next week".into() });
    let mut off = incident("CONFIG_NRI_OFF", Fate::None, "/etc/containerd/config.toml:7");
    off.seen = Occurrences::default();
    off.setting = Some("plugins.'io.containerd.nri.v1.nri'.disable".into());
    let seen = Subject {
        place: "journal".into(),
        kind: FileKind::Log,
        incidents: vec![closed, unknown],
        ..plugin("logger", "10")
    };
    let configuration = Subject {
        place: "/etc/containerd/config.toml".into(),
        kind: FileKind::RuntimeConfig,
        role: Role::Runtime,
        incidents: vec![off],
        ..Subject::default()
    };
    CheckReport {
        targets: vec![target("containerd@2.4", "v0.12.2")],
        subjects: vec![configuration, seen],
        summary: summary("journal", 1),
        ..CheckReport::default()
    }
}

/// Returns a report with names that try to have an effect on a terminal, in Markdown, in XML, in an
/// annotation or in a table.
fn hostile() -> CheckReport {
    let name = "a\u{1b}[31m|\"x',=1+1\n::error::<b>&]]>`*%0A\u{202e}\u{9b}\u{0}\\";
    let mut verdict = state_change("containerd@2.4", Outcome::Deprecated);
    verdict.reason = format!("{name} takes 1 event").into();
    verdict.remedy = format!("ask {name}").into();
    verdict.suppressed = None;
    let mut happened = incident("INCIDENT_CLOSED", Fate::Closed, name);
    (happened.reason, happened.remedy) = (name.into(), name.into());
    happened.setting = Some(name.into());
    let mut subject = judged(plugin("", "10"), vec![verdict]);
    subject.incidents = vec![happened];
    subject.name = Some(name.into());
    subject.place = format!("/tmp/{name}").into();
    subject.evidence = vec![evidence(name)];
    CheckReport {
        data_date: String::new(),
        targets: vec![target("containerd@2.4", "v0.12.2")],
        removals: vec![PlannedRemoval { when: name.into(), expected: "2027-09-16".into() }],
        subjects: vec![subject],
        skipped: vec![Skipped::new(name, SkipKind::Io, name)],
        policy: strings(&[name]),
        cluster: Some(ClusterView {
            name: name.into(),
            server: name.into(),
            id: Some(name.into()),
            namespace: Some(name.into()),
            pods: 1,
            workloads: 1,
            pools: vec![NodePool {
                runtime: name.into(),
                note: Some(name.into()),
                nodes: strings(&[name]),
                ..NodePool::default()
            }],
        }),
        summary: summary(name, 1),
    }
}
