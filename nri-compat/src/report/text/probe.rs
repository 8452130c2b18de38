//! The text report of `probe`.

use anstyle::Style;
use nri_conformance::probe::{RpcAnswer, TargetResult, Trouble, Verdict};

use super::layout::Page;
use super::palette::Palette;
use super::table::Cell;
use super::width::Look;
use crate::report::check;
use crate::report::finding::Level;
use crate::report::probe::{ProbeReport, millis, policy_phrase, since_phrase, subscription_phrase};

/// Renders the answer of `probe` as text.
pub fn probe(report: &ProbeReport, look: impl Into<Look>) -> String {
    let report = &*report.visible();
    let mut page = Page::new(look.into());
    let strong = page.palette.strong;
    page.line(0, &report.subject_phrase(), strong, "");
    registration(&mut page, report);
    rpcs(&mut page, report);
    targets(&mut page, &report.probed.targets);
    latencies(&mut page, report);
    troubles(&mut page, &report.probed.troubles);
    page.gap();
    page.prose(0, "", Style::new(), &report.summary_phrase());
    page.finish()
}

fn registration(page: &mut Page, report: &ProbeReport) {
    let probed = &report.probed;
    let strong = page.palette.strong;
    let label = |name: &str| format!("{name:<18}");
    if !report.place.is_empty() {
        page.line(2, &label("plugin"), strong, &report.place);
    }
    let after = probed.registered_after.map(millis);
    let after = after.unwrap_or_else(|| "never".to_owned());
    page.prose(2, &label("registered after"), strong, &after);
    if let Some(subscription) = &probed.subscription {
        let events = subscription_phrase(subscription);
        page.prose(2, &label("subscribes to"), strong, &events);
        if let Some(policy) = subscription.failure_policy {
            page.prose(2, &label("failure policy"), strong, policy_phrase(policy));
        }
    }
    if !probed.exports.is_empty() {
        let exports = probed.exports.iter().map(String::as_str);
        page.list(2, &label("exports"), strong, exports);
    }
}

fn rpcs(page: &mut Page, report: &ProbeReport) {
    page.gap();
    let palette = page.palette;
    let rows: Vec<Vec<Cell>> = report
        .probed
        .rpcs
        .iter()
        .map(|rpc| {
            vec![
                Cell::new(rpc.rpc, Style::new()),
                Cell::new(since_phrase(rpc), Style::new()),
                Cell::new(rpc.answer.as_str(), of_answer(palette, rpc.answer)),
                Cell::new(rpc.took.map_or_else(String::new, millis), Style::new()),
                Cell::new(&*rpc.detail, Style::new()),
            ]
        })
        .collect();
    page.styled_table(&["RPC", "SINCE", "ANSWER", "AFTER", "DETAIL"], &rows);
}

fn targets(page: &mut Page, targets: &[TargetResult]) {
    page.gap();
    let palette = page.palette;
    let rows: Vec<Vec<Cell>> = targets
        .iter()
        .map(|target| {
            vec![
                Cell::new(&*target.target, Style::new()),
                Cell::new(target.verdict.as_str(), of_verdict(palette, target.verdict)),
                Cell::new(&*target.reason, Style::new()),
            ]
        })
        .collect();
    page.styled_table(&["TARGET", "VERDICT", "WHY"], &rows);
}

fn latencies(page: &mut Page, report: &ProbeReport) {
    let latencies = report.probed.latencies();
    if latencies.is_empty() {
        return;
    }
    page.gap();
    let rows: Vec<Vec<String>> = latencies
        .iter()
        .map(|latency| {
            vec![
                latency.event.to_owned(),
                millis(latency.median),
                millis(latency.slowest),
                latency.answers.to_string(),
            ]
        })
        .collect();
    page.table(&["EVENT", "MEDIAN", "SLOWEST", "ANSWERS"], &rows);
}

fn troubles(page: &mut Page, troubles: &[Trouble]) {
    if troubles.is_empty() {
        return;
    }
    page.heading("Trouble");
    for trouble in troubles {
        let label = format!("{}: ", trouble.kind);
        let at = format!(
            "{} (at {} under {})",
            trouble.message, trouble.step, trouble.release
        );
        page.prose(2, &label, page.palette.level(Level::Error), &at);
        for line in &trouble.last_lines {
            page.line(4, "", page.palette.faint, line);
        }
    }
}

fn of_answer(palette: Palette, answer: RpcAnswer) -> Style {
    match answer {
        RpcAnswer::Implemented => palette.verdict(check::Outcome::Ok),
        RpcAnswer::Fallback => palette.level(Level::Note),
        RpcAnswer::Error => palette.level(Level::Warning),
        RpcAnswer::Breaks | RpcAnswer::Silent => palette.level(Level::Error),
    }
}

fn of_verdict(palette: Palette, verdict: Verdict) -> Style {
    match verdict {
        Verdict::Works => palette.verdict(check::Outcome::Ok),
        Verdict::Deprecated | Verdict::Loses | Verdict::Errors => palette.level(Level::Warning),
        Verdict::Unknown => palette.level(Level::Note),
        Verdict::Breaks | Verdict::Dropped => palette.level(Level::Error),
    }
}
