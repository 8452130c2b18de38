//! Escapes untrusted text: names and paths must not control a terminal, a log or a renderer.

use std::ops::Deref;
use std::sync::Arc;

use crate::place::Place;
use crate::report::check::{
    CheckReport, CheckTarget, ClusterView, Judged, SharedText, Skipped, Subject, Verdict,
};

/// Returns the text with every control and invisible format character spelled out (`
/// `, `\u{1b}`).
///
/// These start escape sequences of a terminal, break lines, or change the direction of the
/// following text.
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

/// Returns true if the character has an effect instead of a visible form: control characters, line
/// and paragraph separators, bidirectional formatting characters, zero-width joiners and spaces, and
/// noncharacters. None is above U+FFFF.
pub(crate) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A check report with every untrusted text escaped by [`visible`], from which human-readable
/// formats are rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleReport(CheckReport);

impl Deref for VisibleReport {
    type Target = CheckReport;

    fn deref(&self) -> &CheckReport {
        &self.0
    }
}

impl From<CheckReport> for VisibleReport {
    /// Escapes the texts in place, because a report may be large and few texts need escaping.
    fn from(mut report: CheckReport) -> Self {
        report.targets.iter_mut().for_each(target);
        report.subjects.iter_mut().for_each(subject);
        report.skipped.iter_mut().for_each(skipped);
        all(&mut report.policy);
        report.cluster.iter_mut().for_each(cluster);
        all(&mut report.summary.looked_at);
        all(&mut report.summary.without_configuration);
        maybe(&mut report.summary.at);
        maybe(&mut report.summary.node);
        maybe(&mut report.summary.scan);
        for removal in &mut report.removals {
            spell_out(&mut removal.when);
        }
        Self(report)
    }
}

impl CheckReport {
    /// Returns a copy with every untrusted text escaped by [`visible`].
    #[must_use]
    pub fn visible(&self) -> VisibleReport {
        self.clone().into()
    }
}

fn spell_out(text: &mut String) {
    if text.chars().any(acts) {
        *text = visible(text);
    }
}

fn shared(text: &mut SharedText) {
    if text.chars().any(acts) {
        *text = visible(text).into();
    }
}

fn shared_list(texts: &mut Arc<[String]>) {
    if texts.iter().any(|text| text.chars().any(acts)) {
        *texts = texts.iter().map(|text| visible(text)).collect();
    }
}

fn all(texts: &mut [String]) {
    texts.iter_mut().for_each(spell_out);
}

fn maybe(text: &mut Option<String>) {
    text.iter_mut().for_each(spell_out);
}

fn target(target: &mut CheckTarget) {
    let CheckTarget {
        name,
        given,
        nri,
        assumed,
        planned: _,
        by_default: _,
    } = target;
    spell_out(name);
    maybe(given);
    spell_out(nri);
    maybe(assumed);
}

fn subject(subject: &mut Subject) {
    place(&mut subject.place);
    maybe(&mut subject.name);
    maybe(&mut subject.index);
    maybe(&mut subject.program);
    maybe(&mut subject.nri.version);
    all(&mut subject.events);
    all(&mut subject.nodes);
    subject.verdicts.iter_mut().for_each(verdict);
    for evidence in &mut subject.evidence {
        spell_out(&mut evidence.detail);
    }
    if let Some(seen) = &mut subject.occurrences {
        maybe(&mut seen.first);
        maybe(&mut seen.last);
    }
}

fn cluster(cluster: &mut ClusterView) {
    spell_out(&mut cluster.name);
    spell_out(&mut cluster.server);
    maybe(&mut cluster.id);
    maybe(&mut cluster.namespace);
    for pool in &mut cluster.pools {
        spell_out(&mut pool.runtime);
        match &mut pool.judged {
            Judged::As(text) | Judged::NoPlugins(text) | Judged::Unknown(text) => spell_out(text),
        }
        all(&mut pool.nodes);
    }
}

fn place(place: &mut Place) {
    spell_out(&mut place.file);
    if let Some(workload) = &mut place.workload {
        spell_out(&mut workload.kind);
        maybe(&mut workload.namespace);
        spell_out(&mut workload.name);
        spell_out(&mut workload.container);
    }
    maybe(&mut place.image);
    maybe(&mut place.entry);
}

fn verdict(verdict: &mut Verdict) {
    spell_out(&mut verdict.target);
    shared_list(&mut verdict.events);
    maybe(&mut verdict.since);
    maybe(&mut verdict.planned_removal);
    shared(&mut verdict.reason);
    shared(&mut verdict.remedy);
    if let Some(suppression) = &mut verdict.suppressed {
        spell_out(&mut suppression.reason);
    }
}

fn skipped(skipped: &mut Skipped) {
    place(&mut skipped.place);
    spell_out(&mut skipped.reason);
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn characters_with_an_effect_are_escaped() {
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
