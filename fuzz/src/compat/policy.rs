//! Reads any text as a policy and as a baseline: each is accepted or rejected with a line, and
//! applying it does not panic.

use nri_compat::policy::{Baseline, Policy, apply, exit, today};
use nri_compat::report::check::{CheckReport, Outcome, Subject, Verdict};

/// Runs the target once.
pub(crate) fn run(input: (&str, &str, &str)) {
    let (policy, known, name) = input;
    let mut baseline = Baseline::parse("b", known).ok();
    if let Some(baseline) = &baseline {
        let again = Baseline::parse("b", &baseline.to_json());
        assert_eq!(again.ok().as_ref(), Some(baseline));
    }
    match Policy::parse("p", policy) {
        Ok(policy) => {
            let mut report = report(name);
            apply(&mut report, &policy, baseline.as_mut(), today());
            let _ = exit(&report, &policy.fail_on);
        }
        Err(error) => assert!(error.to_string().starts_with("p:")),
    }
}

fn report(name: &str) -> CheckReport {
    let verdict =
        Verdict { outcome: Outcome::Deprecated, rule: "CHECK_STATE_CHANGE", ..Verdict::default() };
    let subject = Subject { place: name.into(), verdicts: vec![verdict], ..Subject::default() };
    CheckReport { subjects: vec![subject], ..CheckReport::default() }
}
