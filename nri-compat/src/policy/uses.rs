//! The effect of a policy's ignores and a baseline's entries on findings, and which of them were
//! used.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::ignore::Scope;
use super::{Baseline, Ignore, Policy};
use crate::report::check::Suppression;

/// A policy and a baseline that are being applied, with the ignores and entries used so far.
pub(super) struct Uses<'p> {
    policy: &'p Policy,
    baseline: Option<&'p Baseline>,
    today: Date,
    ignores: Vec<bool>,
    known: BTreeSet<String>,
}

impl<'p> Uses<'p> {
    pub(super) fn new(policy: &'p Policy, baseline: Option<&'p Baseline>, today: Date) -> Self {
        Self {
            policy,
            baseline,
            today,
            ignores: vec![false; policy.ignores.len()],
            known: BTreeSet::new(),
        }
    }

    /// Returns why a finding is suppressed: by an ignore in force that matches it, because it is
    /// `off`, or because the baseline contains its fingerprint. Marks all that match as used.
    pub(super) fn suppression(
        &mut self,
        matches: impl Fn(&Ignore) -> bool,
        off: Option<&str>,
        fingerprint: String,
    ) -> Option<Suppression> {
        let ignored = self.ignored(matches);
        let is_known = self.is_known(fingerprint);
        match ignored.or(off.map(str::to_owned)) {
            Some(reason) => Some(Suppression {
                by_baseline: false,
                reason,
            }),
            None => is_known.then(|| Suppression {
                by_baseline: true,
                reason: String::new(),
            }),
        }
    }

    /// Returns the reason of the first ignore in force that matches, and marks all that match.
    fn ignored(&mut self, matches: impl Fn(&Ignore) -> bool) -> Option<String> {
        let mut reason = None;
        for (ignore, used) in self.policy.ignores.iter().zip(&mut self.ignores) {
            if matches(ignore) {
                *used = true;
                if reason.is_none() && !ignore.expired(self.today) {
                    reason = Some(ignore.reason.clone());
                }
            }
        }
        reason
    }

    fn is_known(&mut self, fingerprint: String) -> bool {
        let is_known = |baseline: &Baseline| baseline.contains(&fingerprint);
        let is_known = self.baseline.is_some_and(is_known);
        if is_known {
            self.known.insert(fingerprint);
        }
        is_known
    }

    /// Returns notes about the ignores of this scope that have expired or match nothing, and about
    /// entries of the baseline that were not found.
    pub(super) fn notes(&self, scope: Scope) -> Vec<String> {
        let ignores = self.policy.ignores.iter().zip(&self.ignores);
        let ignores = ignores.filter(|(ignore, _)| ignore.scope() == scope);
        let unused = ignores.filter_map(|(ignore, used)| self.note(ignore, *used));
        let gone = self.baseline.and_then(|all| all.gone(self.known.len()));
        unused.chain(gone).collect()
    }

    /// Returns why an ignore has no effect, if so.
    fn note(&self, ignore: &Ignore, used: bool) -> Option<String> {
        let file = &self.policy.file;
        let subject = || format!("{file}:{}: the ignore of `{}`", ignore.line, ignore.shown());
        match ignore.expires {
            Some(last) if last < self.today => Some(format!("{} expired on {last}", subject())),
            _ if !used => Some(format!("{} matches nothing", subject())),
            _ => None,
        }
    }
}
