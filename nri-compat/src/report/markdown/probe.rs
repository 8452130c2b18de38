//! The Markdown report of `probe`.

use super::{code, prose, table};
use crate::report::probe::{ProbeReport, millis, since_phrase, subscription_phrase};

/// Renders the answer of `probe` as Markdown.
pub fn probe(report: &ProbeReport) -> String {
    let report = &*report.visible();
    let probed = &report.probed;
    let mut text = format!("### Probe of {}\n\n", prose(&report.subject_phrase()));
    if let Some(subscription) = &probed.subscription {
        let events = subscription_phrase(subscription);
        text.push_str(&format!("subscribes to {}\n\n", prose(&events)));
    }
    text.push_str(&targets(report));
    text.push_str(&troubles(report));
    text.push_str(&format!("\n{}\n", report.summary_phrase()));
    text.push_str(&rpcs(report));
    text
}

fn targets(report: &ProbeReport) -> String {
    let rows: Vec<Vec<String>> = report
        .probed
        .targets
        .iter()
        .map(|target| {
            vec![
                code(&target.target),
                format!("**{}**", target.verdict),
                prose(&target.reason),
            ]
        })
        .collect();
    table(&["target", "verdict", "why"], &rows)
}

fn rpcs(report: &ProbeReport) -> String {
    let rows: Vec<Vec<String>> = report
        .probed
        .rpcs
        .iter()
        .map(|rpc| {
            vec![
                code(rpc.rpc),
                since_phrase(rpc).to_owned(),
                rpc.answer.to_string(),
                rpc.took.map_or_else(String::new, millis),
                prose(&rpc.detail),
            ]
        })
        .collect();
    let table = table(&["RPC", "since", "answer", "after", "detail"], &rows);
    format!("\n<details><summary>All RPCs</summary>\n\n{table}\n</details>\n")
}

fn troubles(report: &ProbeReport) -> String {
    let lines = report.probed.troubles.iter().map(|trouble| {
        let kind = trouble.kind;
        let (message, step) = (prose(&trouble.message), prose(&trouble.step));
        format!(
            "\n- **{kind}**: {message} (at {step} under {})\n",
            prose(&trouble.release)
        )
    });
    lines.collect()
}
