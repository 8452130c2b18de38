//! Foreign text made harmless: what a name or path carries must not act on a terminal, a log or a renderer.

use crate::check::place::Place;
use crate::report::check::{CheckReport, CheckTarget, Skipped, Subject, Suppression, Verdict};

/// The text with every control and invisible format character spelled out (`\n`, `\u{1b}`).
///
/// These are what starts a terminal's escape sequences, breaks lines, or turns the direction of what follows.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether the character does something instead of being seen: controls, line and paragraph separators, marks,
/// embeddings and isolates of direction, joiners and spaces without width, and what is no character. None is beyond U+FFFF.
pub(crate) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

impl CheckReport {
    /// The same report with every foreign text as [`visible`] shows it, for all formats that people read.
    #[must_use]
    pub fn visible(&self) -> Self {
        Self {
            data_date: self.data_date.clone(),
            targets: self.targets.iter().map(target).collect(),
            subjects: self.subjects.iter().map(subject).collect(),
            skipped: self.skipped.iter().map(skipped).collect(),
            policy: all(&self.policy),
            summary: super::check::Summary {
                looked_at: all(&self.summary.looked_at),
                ..self.summary.clone()
            },
        }
    }
}

fn all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| visible(text)).collect()
}

fn maybe(text: &Option<String>) -> Option<String> {
    text.as_deref().map(visible)
}

fn target(target: &CheckTarget) -> CheckTarget {
    CheckTarget {
        name: visible(&target.name),
        given: maybe(&target.given),
        nri: visible(&target.nri),
        assumed: maybe(&target.assumed),
        planned: target.planned,
        by_default: target.by_default,
    }
}

fn subject(subject: &Subject) -> Subject {
    let mut shown = subject.clone();
    shown.place = place(&shown.place);
    shown.name = maybe(&shown.name);
    shown.index = maybe(&shown.index);
    shown.nri.version = maybe(&shown.nri.version);
    shown.events = all(&shown.events);
    shown.verdicts = shown.verdicts.iter().map(verdict).collect();
    for evidence in &mut shown.evidence {
        evidence.detail = visible(&evidence.detail);
    }
    if let Some(seen) = &mut shown.occurrences {
        seen.first = maybe(&seen.first);
        seen.last = maybe(&seen.last);
    }
    shown
}

fn place(place: &Place) -> Place {
    Place {
        file: visible(&place.file),
        image: maybe(&place.image),
        entry: maybe(&place.entry),
        ..place.clone()
    }
}

fn verdict(verdict: &Verdict) -> Verdict {
    let suppressed = verdict.suppressed.as_ref();
    Verdict {
        target: visible(&verdict.target),
        events: all(&verdict.events),
        since: maybe(&verdict.since),
        planned_removal: maybe(&verdict.planned_removal),
        reason: visible(&verdict.reason),
        remedy: visible(&verdict.remedy),
        suppressed: suppressed.map(|suppression| Suppression {
            reason: visible(&suppression.reason),
            ..*suppression
        }),
        ..verdict.clone()
    }
}

fn skipped(skipped: &Skipped) -> Skipped {
    Skipped {
        place: place(&skipped.place),
        kind: skipped.kind,
        reason: visible(&skipped.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_acts_is_spelled_out_and_the_rest_stays() {
        assert_eq!(visible("a\u{1b}[31mb\n\tc\r"), "a\\u{1b}[31mb\\n\\tc\\r");
        assert_eq!(
            visible("\u{9b}31m \u{202e}txt\u{2066}"),
            "\\u{9b}31m \\u{202e}txt\\u{2066}"
        );
        assert_eq!(
            visible("größe 容器 \"q\" 'a' \\ |"),
            "größe 容器 \"q\" 'a' \\ |"
        );
    }
}
