//! Y2, which is W9: Synchronize in parts.

use std::time::Duration;

use nri::api::{SynchronizeRequest, SynchronizeResponse};
use nri::codec::Message as _;
use nri_adaptation::Revision;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{Judged, blocked, fail, skip};
use crate::session::describe;

pub(super) static TESTS: &[Test] = tests! {
    ["Y2", "W9"] "split-synchronize" Each split;
    ["Y2", "W9"] "ten-thousand-pods" Newest many;
};

/// The number of pods on a large node, and of those in one part.
const PODS: usize = 10_000;
const PODS_PER_PART: usize = 2_500;

/// The time limit of a part on a busy machine, longer than that of a runtime. P5 tests whether answers are in time.
const PATIENCE: Duration = Duration::from_secs(30);

async fn split(bench: &Bench, revision: &Revision) -> Judged {
    if !revision.splits_synchronize() {
        return skip("this revision does not split Synchronize");
    }
    drop(bench.serving(revision).await?);
    let mut world = bench.world();
    let parts = (0..3).map(|number| {
        let pod = world.pod();
        SynchronizeRequest {
            containers: vec![world.container(&pod)],
            pods: vec![pod],
            more: number < 2,
        }
    });
    in_parts(bench, revision, parts.collect()).await
}

async fn many(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    let mut world = bench.world();
    let pods: Vec<_> = (0..PODS).map(|_| world.pod()).collect();
    let parts: Vec<_> = pods
        .chunks(PODS_PER_PART)
        .enumerate()
        .map(|(number, pods)| SynchronizeRequest {
            pods: pods.to_vec(),
            containers: Vec::new(),
            more: (number + 1) * PODS_PER_PART < PODS,
        })
        .collect();
    in_parts(bench, revision, parts).await
}

async fn in_parts(bench: &Bench, revision: &Revision, parts: Vec<SynchronizeRequest>) -> Judged {
    let (_instance, session) = bench.registered(revision).await?;
    bench.configured(&session).await?;
    let all = parts.len();
    for (number, part) in (1..).zip(&parts) {
        let sent = format!(
            "part {number} of {all} of Synchronize, more = {}",
            part.more
        );
        match session.synchronize(part, PATIENCE).await {
            Ok(answer) => answered(&sent, part, &answer)?,
            Err(error) => {
                unless_whole(bench, revision, part).await?;
                return fail(sent, describe(&error), "success");
            }
        }
    }
    Ok(())
}

/// Skips if the plugin also refuses the same state when it is not split.
async fn unless_whole(bench: &Bench, revision: &Revision, part: &SynchronizeRequest) -> Judged {
    let (_instance, session) = bench.registered(revision).await?;
    bench.configured(&session).await?;
    let whole = SynchronizeRequest {
        more: false,
        ..part.clone()
    };
    match session.synchronize(&whole, PATIENCE).await {
        Ok(_) => Ok(()),
        Err(error) => {
            let sent = format!(
                "Synchronize with a message of {} bytes",
                whole.encoded_len()
            );
            Err(blocked("W8", sent, describe(&error), "success"))
        }
    }
}

fn answered(sent: &str, part: &SynchronizeRequest, answer: &SynchronizeResponse) -> Judged {
    if answer.more != part.more {
        let got = format!("more = {}", answer.more);
        return fail(sent, got, format!("more = {}", part.more));
    }
    if part.more && !answer.update.is_empty() {
        let got = format!("{} updates", answer.update.len());
        return fail(sent, got, "no update before the last part");
    }
    Ok(())
}
