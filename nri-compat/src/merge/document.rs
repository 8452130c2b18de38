//! The parts of a report of `check` or `logs` that are merged. Unknown keys are ignored, so that
//! reports of newer releases can be read too.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::report::json::SCHEMA;
use crate::stamp;

/// A report.
#[derive(Debug, Deserialize)]
pub(super) struct Document<'d> {
    schema: u32,
    #[serde(borrow)]
    pub(super) subjects: Vec<Subject<'d>>,
    #[serde(borrow, default)]
    pub(super) summary: Summary<'d>,
    /// The cluster that it is about; otherwise it is about a node.
    #[serde(borrow, default)]
    pub(super) cluster: Option<Cluster<'d>>,
}

/// A cluster.
#[derive(Debug, Deserialize)]
pub(super) struct Cluster<'d> {
    #[serde(borrow, default)]
    pub(super) name: Cow<'d, str>,
    #[serde(borrow)]
    pub(super) server: Cow<'d, str>,
    /// The identity of the cluster, if it is known.
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) namespace: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) pools: Vec<Pool<'d>>,
}

/// Nodes with the same runtime.
#[derive(Debug, Deserialize)]
pub(super) struct Pool<'d> {
    #[serde(borrow, default)]
    pub(super) runtime: Cow<'d, str>,
    /// The target that stands for the runtime.
    #[serde(borrow, default)]
    pub(super) target: Option<Cow<'d, str>>,
    /// The reason why there is no such target.
    #[serde(borrow, default)]
    pub(super) note: Option<Cow<'d, str>>,
    #[serde(borrow)]
    pub(super) nodes: Vec<Cow<'d, str>>,
}

/// The extent of a scan.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Summary<'d> {
    #[serde(borrow, default)]
    pub(super) at: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) node: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) scan: Option<Cow<'d, str>>,
}

/// A subject.
#[derive(Debug, Deserialize)]
pub(super) struct Subject<'d> {
    #[serde(borrow)]
    pub(super) path: Cow<'d, str>,
    #[serde(borrow)]
    pub(super) role: Cow<'d, str>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) index: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) nri: Nri<'d>,
    #[serde(borrow, default)]
    pub(super) events: Vec<Cow<'d, str>>,
    #[serde(borrow)]
    pub(super) verdicts: Vec<Verdict<'d>>,
    #[serde(borrow, default, rename = "seen")]
    pub(super) occurrences: Option<Occurrences<'d>>,
    #[serde(borrow, default)]
    pub(super) program: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) place: Place<'d>,
    /// The nodes on which a cluster runs it.
    #[serde(borrow, default)]
    pub(super) nodes: Vec<Cow<'d, str>>,
}

/// The place of a subject.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Place<'d> {
    #[serde(borrow, default)]
    pub(super) file: Cow<'d, str>,
    #[serde(borrow, default)]
    pub(super) entry: Option<Cow<'d, str>>,
    #[serde(default)]
    pub(super) pids: Vec<u32>,
    #[serde(default)]
    pub(super) workload: Option<IgnoredAny>,
}

/// The NRI that it was built with.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Nri<'d> {
    #[serde(borrow, default)]
    pub(super) version: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) at_least: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) below: Option<Cow<'d, str>>,
}

/// The verdict under a target.
#[derive(Debug, Deserialize)]
pub(super) struct Verdict<'d> {
    #[serde(borrow)]
    pub(super) target: Cow<'d, str>,
    #[serde(borrow)]
    pub(super) verdict: Cow<'d, str>,
}

/// The mentions in a log.
#[derive(Debug, Deserialize)]
pub(super) struct Occurrences<'d> {
    #[serde(borrow, default)]
    pub(super) first: Option<Cow<'d, str>>,
    #[serde(borrow, default)]
    pub(super) last: Option<Cow<'d, str>>,
}

/// The keys of the time of an entry of a log collector.
const TIMES: [&str; 5] = [
    "time",
    "@timestamp",
    "timestamp",
    "date",
    "__REALTIME_TIMESTAMP",
];

/// Parses a report, possibly wrapped by a log collector, and passes it on with the time of the
/// collector, for reports without a time.
///
/// # Errors
///
/// Returns the reason why it is not a report.
pub(super) fn parse(
    bytes: &[u8],
    take: impl FnOnce(&Document<'_>, Option<&str>),
) -> Result<(), String> {
    let error = match serde_json::from_slice::<Document<'_>>(bytes) {
        Ok(document) => return document.of_this_schema().map(|()| take(&document, None)),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    let (time, line) = unwrapped(&text).unwrap_or_default();
    let document: Document<'_> = serde_json::from_str(&line)
        .map_err(|_| format!("not a report of check or logs: {error}"))?;
    document.of_this_schema()?;
    take(&document, time.as_deref());
    Ok(())
}

/// Returns the object within the entry of a log collector, and the time of the entry.
fn unwrapped(entry: &str) -> Option<(Option<String>, String)> {
    let entry: serde_json::Map<String, serde_json::Value> = serde_json::from_str(entry).ok()?;
    let mut texts = entry.values().filter_map(serde_json::Value::as_str);
    let object = texts.find(|text| text.trim_start().starts_with('{'))?;
    let time = TIMES.iter().find_map(|key| entry.get(*key)?.as_str());
    Some((time.map(str::to_owned), object.to_owned()))
}

impl Document<'_> {
    /// Returns when it was made: as it says itself, or else as a log collector does.
    pub(super) fn made_at(&self, collected: Option<&str>) -> Option<Timestamp> {
        let at = self.summary.at.as_deref().or(collected);
        at.and_then(stamp::rfc3339)
    }

    fn of_this_schema(&self) -> Result<(), String> {
        if self.schema == SCHEMA {
            return Ok(());
        }
        Err(format!("its schema is {}, not {SCHEMA}", self.schema))
    }
}
