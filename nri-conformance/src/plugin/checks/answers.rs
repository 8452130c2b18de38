//! W13 and W14: adjustments, and unsolicited updates.

use std::time::Duration;

use nri::__private::changes;
use nri::adjust::{Adjustment, Invalid, Updates};
use nri::api::Event;
use nri::wire::CallError;
use nri_adaptation::Revision;
use tokio::time::timeout;

use crate::plugin::bench::{Bench, MOMENT};
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, fail, in_the_way, skip};
use crate::session::{Answer, UpdateAnswer};

pub(super) static TESTS: &[Test] = tests! {
    ["W13"] "adjustments" Newest adjustments;
    ["W14"] "updates-outside-handlers" Newest updates;
    ["W14"] "failed-updates" Newest failed_updates;
};

/// The time that a plugin has to send an update after the last event.
const LAST_UPDATE: Duration = Duration::from_secs(1);

async fn adjustments(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    let sample = bench.sample();
    let mut judged = 0;
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        let Ok(response) = answer.result.clone() else {
            continue;
        };
        let Some(checked) = check(event, &response) else {
            continue;
        };
        judged += 1;
        if let Err(invalid) = checked {
            return fail(
                answer.sent(),
                invalid.to_string(),
                "an adjustment that is valid on its own",
            );
        }
    }
    if judged == 0 {
        return skip("answered no event whose answer may contain changes");
    }
    Ok(())
}

/// Checks the changes in the answer to an event. `None` if answers to the event have none.
fn check(event: Event, response: &[u8]) -> Option<Result<(), Invalid>> {
    let changes = changes(event, response).ok().flatten()?;
    let adjustment = Adjustment::from(changes.adjust.unwrap_or_default()).check();
    Some(adjustment.and_then(|()| Updates::from(changes.update).check()))
}

async fn updates(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.session.arrivals().answer_updates(UpdateAnswer::Never);
    let sent = "nothing in answer to UpdateContainers";
    let mut asked = 0;
    for answer in life(&live, bench).await {
        asked += live.session.arrivals().updates().len();
        if matches!(answer.result, Err(CallError::Timeout(_))) {
            if asked == 0 {
                return Err(in_the_way(&answer));
            }
            let got = format!("{} to {}", answer.got(), answer.sent());
            let expected = "answers to events, whether or not an update is answered";
            return fail(sent, got, expected);
        }
    }
    if asked == 0 && !updates_later(&live).await {
        return skip("sent no unsolicited update");
    }
    Ok(())
}

/// Sends the events of a pod's life.
async fn life(live: &Live, bench: &Bench) -> Vec<Answer> {
    let sample = bench.sample();
    let mut answers = Vec::new();
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        let is_late = matches!(answer.result, Err(CallError::Timeout(_)));
        answers.push(answer);
        if is_late {
            break;
        }
    }
    answers
}

async fn updates_later(live: &Live) -> bool {
    timeout(LAST_UPDATE, live.session.arrivals().updated(1))
        .await
        .is_ok()
}

async fn failed_updates(bench: &Bench, revision: &Revision) -> Judged {
    let mut live = bench.serving(revision).await?;
    live.session.arrivals().answer_updates(UpdateAnswer::Error);
    life(&live, bench).await;
    let updated = !live.session.arrivals().updates().is_empty() || updates_later(&live).await;
    if !updated {
        return skip("sent no unsolicited update");
    }
    if live.session.closed(MOMENT).await {
        let process = live.instance.process.as_ref();
        let got = match process.and_then(|process| process.exit()) {
            Some(exit) => format!("the plugin ended with {exit}"),
            None => "the end of the connection".to_owned(),
        };
        let sent = "an error in answer to UpdateContainers";
        return fail(sent, got, "the plugin keeps running");
    }
    Ok(())
}
