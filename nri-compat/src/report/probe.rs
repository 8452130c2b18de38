//! The result of `probe`, as plain data for every renderer.

use std::ops::Deref;
use std::time::Duration;

use nri_conformance::probe::{
    FailurePolicy, Probed, RpcResult, Subscription, TargetResult, Trouble,
};

use super::visible::{acts, visible};

/// The result of probing a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The file or socket that was named on the command line.
    pub place: String,
    /// The result.
    pub probed: Probed,
}

impl ProbeReport {
    /// Returns a copy with every untrusted text escaped by [`visible`].
    #[must_use]
    pub fn visible(&self) -> VisibleProbe {
        let mut report = self.clone();
        report.texts_mut().into_iter().for_each(|text| {
            if text.chars().any(acts) {
                *text = visible(text);
            }
        });
        VisibleProbe(report)
    }

    /// Returns every text that comes from the plugin or the user.
    fn texts_mut(&mut self) -> Vec<&mut String> {
        let Self { place, probed } = self;
        let subject = &mut probed.subject;
        let mut texts = vec![
            place,
            &mut subject.name,
            &mut subject.index,
            &mut subject.version,
        ];
        texts.extend(probed.rpcs.iter_mut().map(|rpc| &mut rpc.detail));
        texts.extend(probed.targets.iter_mut().flat_map(target_texts));
        texts.extend(probed.troubles.iter_mut().flat_map(trouble_texts));
        texts.extend(&mut probed.exports);
        texts
    }

    /// Returns the name of the plugin and the NRI that it claims: `10-logger, NRI v0.12.5`.
    pub fn subject_phrase(&self) -> String {
        let subject = &self.probed.subject;
        let mut label = subject.label();
        if label.is_empty() {
            label.clone_from(&self.place);
        }
        match subject.version.as_str() {
            "" => label,
            version => format!("{label}, NRI {version}"),
        }
    }

    /// Returns the number of targets with each verdict: `2 works, 9 deprecated`.
    pub fn summary_phrase(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for target in &self.probed.targets {
            let name = target.verdict.as_str();
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let counts = counts.iter().map(|(name, count)| format!("{count} {name}"));
        let counts: Vec<String> = counts.collect();
        format!("{}; took {}", counts.join(", "), millis(self.probed.took))
    }
}

fn target_texts(target: &mut TargetResult) -> Vec<&mut String> {
    let mut texts = vec![&mut target.target, &mut target.release, &mut target.reason];
    texts.extend(target.events.iter_mut().map(|event| &mut event.detail));
    texts
}

fn trouble_texts(trouble: &mut Trouble) -> Vec<&mut String> {
    let mut texts = vec![
        &mut trouble.step,
        &mut trouble.release,
        &mut trouble.message,
    ];
    texts.extend(&mut trouble.last_lines);
    texts
}

/// Returns a duration in milliseconds: `0.3 ms`, `12 ms`.
pub(super) fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1000.0;
    if millis < 10.0 {
        format!("{millis:.1} ms")
    } else {
        format!("{millis:.0} ms")
    }
}

/// Returns the events of a subscription with their mask.
pub(super) fn subscription_phrase(subscription: &Subscription) -> String {
    match subscription.mask {
        0 => "every event that the runtime knows (mask 0)".to_owned(),
        mask => format!("{} (mask {mask:#x})", subscription.events.join(", ")),
    }
}

/// Returns the effect of a failure policy.
pub(super) fn policy_phrase(policy: FailurePolicy) -> &'static str {
    match (policy.fail_request, policy.keep_connected) {
        (false, false) => "the request proceeds without an answer, and the plugin is disconnected",
        (false, true) => "the request proceeds without an answer, and the plugin stays connected",
        (true, false) => "a request fails without an answer, and the plugin is disconnected",
        (true, true) => "a request fails without an answer, and the plugin stays connected",
    }
}

/// Returns the first release with an RPC, for reports.
pub(super) fn since_phrase(rpc: &RpcResult) -> &'static str {
    rpc.since.unwrap_or("no release")
}

/// A report of `probe` with every untrusted text escaped by [`visible`], from which human-readable
/// formats are rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleProbe(ProbeReport);

impl Deref for VisibleProbe {
    type Target = ProbeReport;

    fn deref(&self) -> &ProbeReport {
        &self.0
    }
}
