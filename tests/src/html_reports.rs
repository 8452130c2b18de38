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
    let plugin = |name: &str, nodes, old: [usize; 5], new: [usize; 5]| MergedPlugin {
        path: path.into(),
        name: Some(name.into()),
        index: Some("10".into()),
        program: Some(format!("example.org/{name}")),
        nri: Built { version: Some("v0.11.0".into()), ..Built::default() },
        nodes,
        first_seen: Some("2026-11-01T08:00:00Z".into()),
        last_seen: Some("2026-11-20T09:30:00Z".into()),
        events: vec!["RunPodSandbox".into(), "CreateContainer".into()],
        verdicts: vec![under("containerd@2.4.2", old), under("containerd@2.7", new)],
    };
    MergeReport {
        clusters: vec![cluster(name, silent)],
        silent: vec![silent.into()],
        plugins: vec![
            plugin(name, 40, [2, 0, 38, 0, 0], [2, 0, 0, 38, 0]),
            plugin("hook-injector", 42, [42, 0, 0, 0, 0], [40, 2, 0, 0, 0]),
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

/// Returns a cluster with two pools, one of them without a known release.
fn cluster(name: &str, node: &str) -> MergedCluster {
    let pool = |runtime: String, target: Result<String, String>, nodes: usize| MergedPool {
        pool: NodePool {
            runtime,
            note: target.clone().err(),
            target: target.ok(),
            nodes: (0..nodes).map(|nth| format!("{node}-{nth}")).collect(),
            ..NodePool::default()
        },
        reported: nodes / 2,
    };
    let (known, unknown) = ("containerd://2.4.2".to_owned(), format!("containerd://{name}"));
    let note = format!("unknown release `{name}`");
    MergedCluster {
        name: name.into(),
        server: format!("https://{name}:6443"),
        pools: vec![pool(known, Ok("containerd@2.4.2".into()), 40), pool(unknown, Err(note), 2)],
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
