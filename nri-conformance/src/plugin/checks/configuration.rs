//! P6, W2 and W12: Configure and the subscription.

use std::time::Duration;

use nri::api::{ConfigureRequest, Event};
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{IN_TIME, Judged, Verdict, blocked, fail, skip};
use crate::result::Failure;
use crate::session::world::World;
use crate::session::{Session, can_fall_back, describe, sample_request};

pub(super) static TESTS: &[Test] = tests! {
    ["P6"] "answers-configure" Each answers;
    ["W2"] "mask" Each mask;
    ["W12"] "configurations" BothWays variations;
};

async fn answers(bench: &Bench, revision: &Revision) -> Judged {
    let (_instance, session) = bench.registered(revision).await?;
    let request = session.configuration(&bench.options.config);
    match session.configure(&request).await {
        Ok(_) => Ok(()),
        Err(error @ CallError::Timeout(_)) => {
            bench.count_stuck();
            Err(blocked("P5", "Configure", describe(&error), IN_TIME))
        }
        Err(error) => {
            unless_newer(bench, revision).await?;
            fail(
                "Configure",
                describe(&error),
                "an answer with the event mask",
            )
        }
    }
}

/// Skips if a newer runtime, whose request has more fields, can configure the plugin.
async fn unless_newer(bench: &Bench, revision: &Revision) -> Judged {
    let newest = Revision::newest();
    if revision.is_at_least("v0.12.0") {
        return Ok(());
    }
    let (_instance, session) = bench.registered(&newest).await?;
    let request = session.configuration(&bench.options.config);
    match session.configure(&request).await {
        Ok(_) => skip(format!(
            "a runtime that speaks {} can configure the plugin; see W12",
            newest.release()
        )),
        Err(_) => Ok(()),
    }
}

async fn mask(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    let known = revision.events().bits();
    let extra = live.mask & !known;
    if extra != 0 {
        let got = format!(
            "the mask {:#x}, with the unknown bits {extra:#x}",
            live.mask
        );
        let sent = format!(
            "Configure of a runtime that speaks NRI {}",
            revision.release()
        );
        return fail(sent, got, format!("no bit outside of {known:#x}"));
    }
    if live.mask == 0 {
        return takes_everything(&live, bench).await;
    }
    Ok(())
}

/// Tests a mask of 0: the runtime sends every event, so each must be implemented or have a fallback.
async fn takes_everything(live: &Live, bench: &Bench) -> Judged {
    let sample = bench.sample();
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        let ignorable = can_fall_back(event) && answer.via == Via::StateChange;
        if answer.is_unimplemented() && !ignorable {
            let got = format!("the mask 0, and for {}: {}", answer.sent(), answer.got());
            return fail("Configure", got, "a mask of the events that it implements");
        }
    }
    Ok(())
}

async fn variations(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    for (name, vary) in VARIATIONS {
        let (_instance, session) = bench.registered(revision).await?;
        let mut request = session.configuration(&bench.options.config);
        vary(&mut request);
        configured(bench, &session, name, &request).await?;
    }
    Ok(())
}

type Vary = fn(&mut ConfigureRequest);

/// Requests that a runtime may send.
const VARIATIONS: &[(&str, Vary)] = &[
    ("without timeouts", |request| {
        request.registration_timeout = 0;
        request.request_timeout = 0;
    }),
    ("with long timeouts", |request| {
        let minute = Duration::from_secs(60).as_millis();
        request.registration_timeout = i64::try_from(minute).unwrap_or(i64::MAX);
        request.request_timeout = request.registration_timeout;
    }),
    ("with negative timeouts", |request| {
        request.registration_timeout = -1;
        request.request_timeout = -1;
    }),
    ("of an unknown runtime", |request| {
        request.runtime_name = "a runtime that nobody knows".to_owned();
        request.runtime_version = "2030-01-01+build/7".to_owned();
    }),
    ("without the name of the runtime", |request| {
        request.runtime_name.clear();
        request.runtime_version.clear();
    }),
    ("of containerd without a release", |request| {
        request.runtime_name = "containerd".to_owned();
        request.runtime_version = "unknown".to_owned();
    }),
    ("without an NRI version", |request| {
        request.nri_version.clear()
    }),
    ("with the NRI version 0.0.0-unknown", |request| {
        request.nri_version = "0.0.0-unknown".to_owned();
    }),
    ("with an invalid NRI version", |request| {
        request.nri_version = "not a version".to_owned();
    }),
    ("with a future NRI version", |request| {
        request.nri_version = "v9.9.9".to_owned();
    }),
];

async fn configured(
    bench: &Bench,
    session: &Session,
    name: &str,
    request: &ConfigureRequest,
) -> Judged {
    let sent = format!("Configure {name}");
    let failed = |error: CallError| match error {
        CallError::Timeout(_) => blocked("P5", sent.clone(), describe(&error), IN_TIME),
        // The plugin requires something of the runtime, which is its own decision and not a decoding error.
        CallError::Status(ref status) if status.code == Code::FAILED_PRECONDITION => {
            Verdict::Skip(format!("{sent}: {}", describe(&error)))
        }
        error => Verdict::Fail(Failure::new(sent.clone(), describe(&error), "success")),
    };
    session.configure(request).await.map_err(failed)?;
    let part = nri::api::SynchronizeRequest::default();
    let within = bench.options.timeouts.request;
    let synchronized = session.synchronize(&part, within).await;
    synchronized.map_err(failed)?;
    let runtime = bench.options.runtime;
    let sample = World::of(runtime, 0).sample();
    // Any answer will do: it shows that the plugin serves.
    let request = sample_request(
        runtime,
        Event::StopPodSandbox,
        &sample.pod,
        &sample.container,
    );
    let answer = session.send(Event::StopPodSandbox, &request).await;
    match answer.result {
        Err(CallError::Closed) => fail(sent, "the end of the connection", "a plugin that serves"),
        _ => Ok(()),
    }
}
