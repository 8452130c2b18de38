//! The HTML report of `probe`.

use askama::Template;
use nri_conformance::probe::{EventOutcome, Probed, TargetResult, Verdict};

use super::page::{self, Page};
use super::verdict::Filter;
use crate::report::probe::{ProbeReport, millis, since_phrase, subscription_phrase};
use crate::report::written;

const VERDICTS: [Verdict; 6] = [
    Verdict::Works,
    Verdict::Deprecated,
    Verdict::Loses,
    Verdict::Unknown,
    Verdict::Breaks,
    Verdict::Dropped,
];

const EVENTS: [EventOutcome; 6] = [
    EventOutcome::Works,
    EventOutcome::Deprecated,
    EventOutcome::Lost,
    EventOutcome::NotTried,
    EventOutcome::Fails,
    EventOutcome::Silent,
];

/// Renders the answer of `probe` as HTML.
pub fn probe(report: &ProbeReport) -> String {
    let report = &*report.visible();
    let page = ProbePage {
        page: Page::new(),
        probed: &report.probed,
        report,
    };
    written(|out| page::write(&page, out))
}

#[derive(Template)]
#[template(path = "probe.html")]
struct ProbePage<'r> {
    page: Page,
    report: &'r ProbeReport,
    probed: &'r Probed,
}

/// The verdict for a target.
struct VerdictRow<'r> {
    class: &'static str,
    target: &'r TargetResult,
    /// The line that is always shown.
    headline: &'r str,
}

/// The answer to an RPC.
struct RpcRow<'r> {
    rpc: &'static str,
    since: &'static str,
    answer: &'static str,
    after: String,
    detail: &'r str,
}

impl ProbePage<'_> {
    fn subscription(&self) -> Option<String> {
        self.probed.subscription.as_ref().map(subscription_phrase)
    }

    fn rows(&self) -> impl Iterator<Item = VerdictRow<'_>> {
        self.probed.targets.iter().map(|target| VerdictRow {
            class: class(target.verdict),
            headline: match target.reason.as_str() {
                "" => "Events",
                reason => reason,
            },
            target,
        })
    }

    /// Returns a filter for each verdict that occurs.
    fn filters(&self) -> Vec<Filter> {
        let of_verdict = |verdict: Verdict| {
            let targets = self.probed.targets.iter();
            Filter {
                class: class(verdict),
                word: verdict.as_str(),
                count: targets.filter(|target| target.verdict == verdict).count(),
            }
        };
        let all = VERDICTS.into_iter().map(of_verdict);
        all.filter(|filter| filter.count > 0).collect()
    }

    fn rpcs(&self) -> impl Iterator<Item = RpcRow<'_>> {
        self.probed.rpcs.iter().map(|rpc| RpcRow {
            rpc: rpc.rpc,
            since: since_phrase(rpc),
            answer: rpc.answer.as_str(),
            after: rpc.took.map_or_else(String::new, millis),
            detail: &rpc.detail,
        })
    }
}

impl VerdictRow<'_> {
    /// Returns the events by outcome.
    fn events(&self) -> impl Iterator<Item = (&'static str, String)> {
        let named = EVENTS.map(|outcome| (outcome.as_str(), self.target.events_that(outcome)));
        let named = named.into_iter().filter(|(_, events)| !events.is_empty());
        named.map(|(outcome, events)| (outcome, events.join(", ")))
    }
}

const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Works => "o",
        Verdict::Deprecated => "d",
        Verdict::Loses => "l",
        Verdict::Unknown => "u",
        Verdict::Breaks => "r",
        Verdict::Dropped => "i",
    }
}
