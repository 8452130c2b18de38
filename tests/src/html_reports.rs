//! Reports of `merge` and `diff` for the tests of HTML.

use nri_compat::diff;
use nri_compat::report::check::{NodePool, Outcome, SkipKind, Skipped};
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::merge::{
    MergeReport, MergeSummary, MergedCluster, MergedIncident, MergedPlugin, MergedPool,
    MergedVerdict,
};
use nri_compat::sighting::Built;

/// A name that tries to have an effect in a page: tags, quotes, ends of elements, text direction,
/// control characters, a very long word, another script.
pub const HOSTILE: &str = "</td></table></style></script><script>document.title='owned'</script>\
    <img src=x onerror=\"document.title='owned'\"> \"'><svg/onload=alert(1)> &lt;b&gt; &#x202e; {{ 7*7 }} \
    \u{202e}gnp.exe\u{2066} \u{0} \u{1b}[31m שלום-עולם العربية <!-- --> ]]> \
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Returns merged reports with their names.
pub fn merged() -> Vec<(&'static str, MergeReport)> {
    vec![
        ("nodes", nodes("logger", "/opt/nri/plugins/10-logger", "node-7")),
        ("hostile", nodes(HOSTILE, HOSTILE, HOSTILE)),
    ]
}

fn nodes(name: &str, path: &str, silent: &str) -> MergeReport {
    MergeReport {
        clusters: vec![cluster(name, silent)],
        silent: vec![silent.into()],
        plugins: vec![
            MergedPlugin {
                nodes: 40,
                verdicts: verdicts([2, 0, 38, 0, 0], [2, 0, 0, 38, 0]),
                ..plugin(name, path)
            },
            MergedPlugin {
                nodes: 42,
                verdicts: verdicts([42, 0, 0, 0, 0], [40, 2, 0, 0, 0]),
                ..plugin("hook-injector", path)
            },
        ],
        incidents: vec![MergedIncident {
            rule: "INCIDENT_EVENT_TIMEOUT",
            level: Level::Error,
            label: format!("10-{name}"),
            path: path.into(),
            setting: Some(name.into()),
            nodes: 3,
        }],
        skipped: vec![Skipped::new(path, SkipKind::Broken, format!("report 3: {name}"))],
        summary: MergeSummary {
            reports: 44,
            nodes: 42,
            clusters: 1,
            superseded: 2,
            expected: 43,
            silent: 1,
            plugins: 2,
            incidents: 1,
            skipped: 12,
            ..MergeSummary::default()
        },
        ..MergeReport::default()
    }
}

/// Returns a plugin without nodes and verdicts.
fn plugin(name: &str, path: &str) -> MergedPlugin {
    MergedPlugin {
        path: path.into(),
        name: Some(name.into()),
        index: Some("10".into()),
        program: Some(format!("example.org/{name}")),
        nri: Built { version: Some("v0.11.0".into()), ..Built::default() },
        nodes: 0,
        first_seen: Some("2026-11-01T08:00:00Z".into()),
        last_seen: Some("2026-11-20T09:30:00Z".into()),
        events: vec!["RunPodSandbox".into(), "CreateContainer".into()],
        verdicts: Vec::new(),
    }
}

/// Returns the verdicts under the release of today and the one to come.
fn verdicts(today: [usize; 5], then: [usize; 5]) -> Vec<MergedVerdict> {
    vec![under("containerd@2.4.2", today), under("containerd@2.7", then)]
}

/// Returns a cluster with two pools, one of them without a known release.
fn cluster(name: &str, node: &str) -> MergedCluster {
    let nodes = |count: usize| (0..count).map(|nth| format!("{node}-{nth}")).collect();
    let known = NodePool {
        runtime: "containerd://2.4.2".into(),
        target: Some("containerd@2.4.2".into()),
        nodes: nodes(40),
        ..NodePool::default()
    };
    let unknown = NodePool {
        runtime: format!("containerd://{name}"),
        note: Some(format!("unknown release `{name}`")),
        nodes: nodes(2),
        ..NodePool::default()
    };
    MergedCluster {
        name: name.into(),
        server: format!("https://{name}:6443"),
        pools: vec![
            MergedPool { pool: known, reported: 20 },
            MergedPool { pool: unknown, reported: 1 },
        ],
    }
}

fn under(target: &str, counts: [usize; Outcome::ALL.len()]) -> MergedVerdict {
    MergedVerdict { target: target.into(), counts: Outcome::ALL.into_iter().zip(counts).collect() }
}

/// Returns reports of `diff` with their names.
///
/// # Panics
///
/// Panics if a release is unknown.
pub fn diffs() -> Vec<(&'static str, DiffReport)> {
    let upgrade = diff::diff("v0.11.0", "v0.12.0", Category::File).expect("both are releases");
    let mut hostile = upgrade.clone();
    hostile.from.name = HOSTILE.into();
    hostile.from.input = HOSTILE.into();
    for finding in &mut hostile.findings {
        finding.element = HOSTILE.into();
        finding.message = HOSTILE.into();
    }
    for change in &mut hostile.changes {
        change.element = HOSTILE.into();
        change.detail = HOSTILE.into();
    }
    for pairing in &mut hostile.pairings {
        pairing.plugin = HOSTILE.into();
        for item in &mut pairing.items {
            item.detail = HOSTILE.into();
        }
    }
    hostile.policy = vec![HOSTILE.into()];
    vec![("upgrade", upgrade), ("hostile", hostile)]
}
