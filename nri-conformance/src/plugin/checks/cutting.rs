//! W8: large messages, and messages that are split into frames in every legal way.

use std::time::Duration;

use nri::api::{PodSandbox, SynchronizeRequest};
use nri::codec::Message as _;
use nri::wire::MAX_MESSAGE;
use nri_adaptation::Revision;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{IN_TIME, Judged, Verdict, blocked, fail};
use crate::session::{Cut, Session, describe};
use crate::subject::{Instance, Subject};

pub(super) static TESTS: &[Test] = tests! {
    ["W8"] "large-messages" Newest large;
    ["W8"] "cut-frames" Newest cuts;
};

/// The time limit of a large message on a busy machine. P5 tests whether answers are in time.
const PATIENCE: Duration = Duration::from_secs(30);

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

async fn large(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    for size in [4096, 64 << 10, 1 << 20, MAX_MESSAGE - ENVELOPE_BYTES] {
        let (instance, session) = bench.registered(revision).await?;
        let sent = format!("Synchronize with a message of {size} bytes");
        takes(bench, &sent, &session, instance, size).await?;
    }
    Ok(())
}

async fn cuts(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    for (cut, size) in CUTS {
        let sent = format!("Synchronize with a message of {size} bytes, cut as {cut:?}");
        match cut_so(bench, revision, &sent, cut, size).await {
            Err(Verdict::Fail(failure)) if is_go(&bench.subject) => {
                return Err(Verdict::Known(failure, GO_READS));
            }
            other => other?,
        }
    }
    Ok(())
}

async fn cut_so(bench: &Bench, revision: &Revision, sent: &str, cut: Cut, size: usize) -> Judged {
    match bench.registered_cut(revision, Some(cut)).await {
        Ok((instance, session)) => takes(bench, sent, &session, instance, size).await,
        // The answer to the registration is cut, too.
        Err(Verdict::Skip(got)) => fail(sent, got, "a registration"),
        Err(Verdict::Blocked(breach)) => fail(sent, breach.failure.got, "a registration"),
        Err(other) => Err(other),
    }
}

/// Configures and synchronizes the plugin with a message of about `size` bytes.
async fn takes(
    bench: &Bench,
    sent: &str,
    session: &Session,
    _instance: Instance,
    size: usize,
) -> Judged {
    let configuration = session.configuration(&bench.options.config).encode_to_vec();
    let part = SynchronizeRequest {
        pods: pods(bench, size),
        ..SynchronizeRequest::default()
    };
    for (method, request) in [
        ("Configure", configuration),
        ("Synchronize", part.encode_to_vec()),
    ] {
        if let Err(error) = session.call_within(method, request, PATIENCE).await {
            let got = format!("{} to {method}", describe(&error));
            return fail(sent, got, "success");
        }
    }
    // Shows that the plugin still reads at the right offset.
    match session.call("Synchronize", Vec::new()).await {
        Ok(_) | Err(nri::wire::CallError::Status(_)) => Ok(()),
        Err(nri::wire::CallError::Timeout(within)) => Err(blocked(
            "P5",
            "an empty Synchronize",
            format!("no answer within {within:?}"),
            IN_TIME,
        )),
        Err(error) => fail(
            format!("{sent}, then a small one"),
            describe(&error),
            "an answer",
        ),
    }
}

/// Returns pods whose encoding has about `size` bytes.
fn pods(bench: &Bench, size: usize) -> Vec<PodSandbox> {
    let mut world = bench.world();
    let small = world.pod();
    let rest = size.saturating_sub(small.encoded_len() + 64);
    let mut large = world.pod();
    let around = large.encoded_len();
    large
        .annotations
        .insert("large".to_owned(), "x".repeat(rest.saturating_sub(around)));
    vec![small, large]
}

/// Returns true if the plugin is a Go program: its build information starts with these bytes.
fn is_go(subject: &Subject) -> bool {
    const BUILD_INFO: &[u8] = b"\xff Go buildinf:";
    let Some(executable) = subject.executable() else {
        return false;
    };
    let content = std::fs::read(&executable.path).unwrap_or_default();
    content
        .windows(BUILD_INFO.len())
        .any(|window| window == BUILD_INFO)
}
