//! Sends the events of a scenario.

use nri::adjust::Adjustment;
use nri::api::ContainerAdjustment;
use nri_adaptation::{Outcome, Relayed};

use crate::event::{self, Answer, Request};
use crate::report::{DeprecationReport, Report, StepReport};
use crate::start::Runtime;

/// Sends one event after the other. A failed one does not stop the rest.
pub(crate) async fn play(runtime: &Runtime, steps: &[Request]) -> Report {
    let mut report = Report::default();
    for request in steps {
        report.steps.push(step(runtime, request).await);
    }
    let records = runtime.deprecations.records();
    report.deprecations = records.iter().map(DeprecationReport::from).collect();
    report
}

/// Returns why a runtime would fail the container, such as a relative path of a mount.
pub(crate) fn invalid(adjust: &ContainerAdjustment) -> Option<String> {
    let adjustment = Adjustment::from(adjust.clone());
    let invalid = adjustment.check().err()?;
    Some(format!("the merged adjustment is invalid: {invalid}"))
}

async fn step(runtime: &Runtime, request: &Request) -> StepReport {
    let mut report = StepReport::new(event::rpc_name(request.event));
    match event::send(&runtime.adaptation, request).await {
        Ok(Relayed { answer, outcomes, .. }) => {
            match answer {
                Answer::None => {}
                Answer::Created(created) => {
                    report.error = invalid(&created.adjust);
                    report.adjustment = Some(created.adjust);
                    report.updates = created.updates;
                    report.evictions = created.evictions;
                }
                Answer::Updated(updated) => {
                    report.evictions.clone_from(&updated.evictions);
                    report.updates = updated.into_answer();
                }
            }
            report.add_outcomes(&outcomes);
        }
        Err(error) => {
            report.error = Some(error.to_string());
            let outcomes: &[Outcome] = error.outcomes();
            report.add_outcomes(outcomes);
        }
    }
    report
}
