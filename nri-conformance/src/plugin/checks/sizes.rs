//! Y2, which is W9, and W8: large states and messages, and messages that are split in every legal
//! way.

use std::time::Duration;

use nri::api::{PodSandbox, SynchronizeRequest, SynchronizeResponse};
use nri::codec::Message as _;
use nri::wire::{CallError, MAX_MESSAGE};

use crate::incident::Incident;
use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{Judged, Verdict, blocked, fail, fail_as, failed, skip};
use crate::result::Failure;
use crate::session::{Cut, Session, describe};
use crate::subject::Subject;

pub(super) static TESTS: &[Test] = tests! {
    ["Y2", "W9"] "split-synchronize" Each split;
    ["Y2", "W9"] "ten-thousand-pods" Newest many;
    ["W8"] "large-messages" Newest large;
    ["W8"] "cut-frames" Newest cuts;
};

/// The number of pods on a large node, and of those in one part.
const PODS: usize = 10_000;
const PODS_PER_PART: usize = 2_500;

/// The time limit of a large message on a busy machine, longer than that of a runtime. P5 tests
/// whether answers are in time.
const PATIENCE: Duration = Duration::from_secs(30);

async fn split(bench: &Bench) -> Judged {
    if !bench.revision.splits_synchronize() {
        return skip("this revision does not split Synchronize");
    }
    drop(bench.serving().await?);
    let mut world = bench.world();
    let parts = (0..3).map(|number| {
        let pod = world.pod();
        SynchronizeRequest {
            containers: vec![world.container(&pod)],
            pods: vec![pod],
            more: number < 2,
        }
    });
    in_parts(bench, parts).await
}

async fn many(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    let mut world = bench.world();
    let all = PODS / PODS_PER_PART;
    // Each part is made when it is sent: the whole state would take a hundred megabytes.
    let parts = (0..all).map(|number| SynchronizeRequest {
        pods: (0..PODS_PER_PART).map(|_| world.pod()).collect(),
        containers: Vec::new(),
        more: number + 1 < all,
    });
    in_parts(bench, parts).await
}

async fn in_parts(
    bench: &Bench,
    parts: impl ExactSizeIterator<Item = SynchronizeRequest>,
) -> Judged {
    let (_instance, session) = bench.registered().await?;
    bench.configured(&session).await?;
    let all = parts.len();
    for (number, part) in (1..).zip(parts) {
        let part = &part;
        let more = part.more;
        let sent = format!("part {number} of {all} of Synchronize, more = {more}");
        match session.synchronize(part, PATIENCE).await {
            Ok(answer) => answered(&sent, part, &answer)?,
            Err(error) => {
                unless_whole(bench, part).await?;
                let verdict = Verdict::Fail(Failure::new(sent, describe(&error), "success"));
                return Err(verdict.seen_as(Incident::of_call("Synchronize", &error)));
            }
        }
    }
    Ok(())
}

/// Skips if the plugin also refuses the same state when it is not split.
async fn unless_whole(bench: &Bench, part: &SynchronizeRequest) -> Judged {
    let (_instance, session) = bench.registered().await?;
    bench.configured(&session).await?;
    let whole = SynchronizeRequest { more: false, ..part.clone() };
    let synchronized = session.synchronize(&whole, PATIENCE).await;
    synchronized.map(drop).map_err(|error| {
        let bytes = whole.encoded_len();
        let sent = format!("Synchronize with a message of {bytes} bytes");
        blocked("W8", sent, describe(&error), "success")
    })
}

fn answered(sent: &str, part: &SynchronizeRequest, answer: &SynchronizeResponse) -> Judged {
    if answer.more != part.more {
        let got = format!("more = {}", answer.more);
        let expected = format!("more = {}", part.more);
        return fail_as(Incident::SynchronizeParts, sent, got, expected);
    }
    if part.more && !answer.update.is_empty() {
        let got = format!("{} updates", answer.update.len());
        return fail(sent, got, "no update before the last part");
    }
    Ok(())
}

/// The size of the request without the annotations, in bytes.
const ENVELOPE_BYTES: usize = 4096;

/// The code by which a Go peer reads frames, as the source for everything that it refuses.
const GO_READS: &str = "https://github.com/containerd/nri/blob/v0.12.5/pkg/net/multiplex/mux.go";

/// Ways to split messages, each with the size of the message to split.
const CUTS: [(Cut, usize); 7] = [
    (Cut::Whole, MAX_MESSAGE - ENVELOPE_BYTES),
    (Cut::Pieces(64 << 10), MAX_MESSAGE - ENVELOPE_BYTES),
    (Cut::Pieces(4096), MAX_MESSAGE - ENVELOPE_BYTES),
    (Cut::Pieces(65_537), 1 << 20),
    (Cut::Pieces(1), 4 << 10),
    (Cut::HeaderBytes, 64 << 10),
    (Cut::WithEmptyFrames(8 << 10), 256 << 10),
];

async fn large(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    for size in [4096, 64 << 10, 1 << 20, MAX_MESSAGE - ENVELOPE_BYTES] {
        let (_instance, session) = bench.registered().await?;
        let sent = format!("Synchronize with a message of {size} bytes");
        takes(bench, &sent, &session, size).await?;
    }
    Ok(())
}

async fn cuts(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    for (cut, size) in CUTS {
        match cut_so(bench, cut, size).await {
            Err(Verdict::Fail(failure)) if is_go(&bench.subject) => {
                return Err(Verdict::Known(failure, GO_READS));
            }
            other => other?,
        }
    }
    Ok(())
}

async fn cut_so(bench: &Bench, cut: Cut, size: usize) -> Judged {
    let sent = format!("Synchronize with a message of {size} bytes, cut as {cut:?}");
    match bench.registered_as(&bench.revision, Some(cut)).await {
        Ok((_instance, session)) => takes(bench, &sent, &session, size).await,
        // The answer to the registration is cut, too.
        Err(verdict) => fail(sent, verdict.into_got(), "a registration"),
    }
}

/// Configures and synchronizes the plugin with a message of about `size` bytes.
async fn takes(bench: &Bench, sent: &str, session: &Session, size: usize) -> Judged {
    let configuration = session.configuration(&bench.options.config).encode_to_vec();
    let part = SynchronizeRequest { pods: pods(bench, size), ..SynchronizeRequest::default() };
    for (method, request) in [("Configure", configuration), ("Synchronize", part.encode_to_vec())] {
        if let Err(error) = session.call_within(method, request, PATIENCE).await {
            let got = format!("{} to {method}", describe(&error));
            return fail(sent, got, "success");
        }
    }
    // Shows that the plugin still reads at the right offset.
    let sent = format!("{sent}, then an empty one");
    match session.call("Synchronize", Vec::new()).await {
        Ok(_) | Err(CallError::Status(_)) => Ok(()),
        Err(error) => Err(failed(sent, &error, "an answer")),
    }
}

/// Returns pods whose encoding has about `size` bytes.
fn pods(bench: &Bench, size: usize) -> Vec<PodSandbox> {
    let mut world = bench.world();
    let small = world.pod();
    let rest = size.saturating_sub(small.encoded_len() + 64);
    let mut large = world.pod();
    let around = large.encoded_len();
    large.annotations.insert("large".to_owned(), "x".repeat(rest.saturating_sub(around)));
    vec![small, large]
}

/// Returns true if the plugin is a Go program: its build information starts with these bytes.
fn is_go(subject: &Subject) -> bool {
    const BUILD_INFO: &[u8] = b"\xff Go buildinf:";
    let Some(executable) = subject.executable() else {
        return false;
    };
    let content = std::fs::read(&executable.path).unwrap_or_default();
    content.windows(BUILD_INFO.len()).any(|window| window == BUILD_INFO)
}
