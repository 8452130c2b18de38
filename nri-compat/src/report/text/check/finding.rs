//! The reasons why plugins are not ok, and the remedies: a block per plugin.

use std::io::{self, Write};

use anstyle::Style;

use crate::report::check::{Alike, CLUSTER_READER, Outcome, Subject};
use crate::report::text::layout::Page;
use crate::sighting::{Evidence, LOG_READER};

/// The readers whose evidence is shown without `explain`, too: what a log says is all that is known.
const ALWAYS_SHOWN: [&str; 2] = [CLUSTER_READER, LOG_READER];

/// The column in which the lines under a verdict start.
const INDENT: usize = 6;

/// Writes a block for every plugin that is not ok; with `explain`, for every plugin and with its
/// evidence.
pub(super) fn findings(
    page: &mut Page,
    subjects: &[Subject],
    explain: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let judged = subjects
        .iter()
        .filter(|subject| !subject.verdicts.is_empty());
    let shown: Vec<&Subject> = judged
        .filter(|subject| explain || not_ok(subject))
        .collect();
    if shown.is_empty() {
        return Ok(());
    }
    page.heading("Why, and what to do");
    for subject in &shown {
        block(page, subject, explain);
        page.write_to(out)?;
    }
    if shown.iter().any(|subject| not_ok(subject)) {
        let hint = "for details: nri-compat explain RULE";
        page.line(2, hint, page.palette.faint, "");
    }
    Ok(())
}

fn not_ok(subject: &Subject) -> bool {
    let mut verdicts = subject.verdicts.iter();
    verdicts.any(|verdict| verdict.outcome != Outcome::Ok)
}

fn block(page: &mut Page, subject: &Subject, explain: bool) {
    let style = page.palette.strong;
    page.line(2, &subject.label(), style, &format!(" {}", at(subject)));
    for alike in subject.alike() {
        if explain || alike.verdict.outcome != Outcome::Ok {
            judgement(page, &alike);
        }
    }
    if let Some(seen) = &subject.occurrences {
        page.prose(INDENT, "", Style::new(), &seen.phrase());
    }
    if !subject.nodes.is_empty() {
        page.prose(INDENT, "", Style::new(), &subject.nodes_phrase());
    }
    if explain {
        evidence(page, subject);
    } else {
        let is_shown = |evidence: &&Evidence| ALWAYS_SHOWN.contains(&evidence.reader);
        let shown = subject.evidence.iter().filter(is_shown);
        shown.for_each(|evidence| observation(page, evidence));
    }
}

/// Returns the location of the subject and the NRI that it was built with.
fn at(subject: &Subject) -> String {
    match subject.nri.phrase() {
        Some(built) => format!("({}; {built})", subject.place),
        None => format!("({})", subject.place),
    }
}

/// Adds the verdict for some targets, with its reason and remedy.
fn judgement(page: &mut Page, alike: &Alike<'_>) {
    let verdict = alike.verdict;
    let rule = match verdict.rule {
        "" => String::new(),
        rule => format!("[{rule}]"),
    };
    let label = format!("{}{rule}: ", verdict.outcome.as_str());
    let under = format!("under {}", alike.targets.join(", "));
    let reason = match verdict.reason.as_str() {
        "" => under,
        reason => format!("{under}: {reason}"),
    };
    page.prose(4, &label, page.palette.verdict(verdict.outcome), &reason);
    if let Some(suppressed) = &verdict.suppressed {
        page.prose(INDENT, "", page.palette.faint, &suppressed.phrase());
    }
    let strong = page.palette.strong;
    if !verdict.events.is_empty() {
        let events = verdict.events.iter().map(String::as_str);
        page.list(INDENT, "events: ", strong, events);
    }
    page.prose(INDENT, "", Style::new(), &verdict.facts());
    if !verdict.remedy.is_empty() {
        page.prose(INDENT, "help: ", strong, &verdict.remedy);
    }
}

fn evidence(page: &mut Page, subject: &Subject) {
    if !subject.events.is_empty() {
        let events = subject.events.iter().map(String::as_str);
        page.list(INDENT, "handles: ", page.palette.strong, events);
    }
    for evidence in &subject.evidence {
        observation(page, evidence);
    }
}

fn observation(page: &mut Page, evidence: &Evidence) {
    let label = format!("{}: ", evidence.reader);
    page.prose(INDENT, &label, page.palette.faint, &evidence.detail);
}
