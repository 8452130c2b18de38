//! W1, P6, W2 and W12: registration, Configure and the subscription.

use std::time::Duration;

use nri::api::{ConfigureRequest, Event, RegisterPluginRequest, SynchronizeRequest};
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};
use tokio::time::sleep;

use crate::incident::{Ending, Incident};
use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, Verdict, fail, fail_as, failed, skip};
use crate::result::Failure;
use crate::session::{can_fall_back, describe};
use crate::subject::Instance;

pub(super) static TESTS: &[Test] = tests! {
    ["W1"] "registers" Each registers;
    ["W1"] "waits-for-a-slow-runtime" Newest waits;
    ["P6"] "answers-configure" Each answers;
    ["W2"] "mask" Each mask;
    ["W12"] "configurations" BothWays variations;
};

/// The time that a slow runtime takes for each step: less than the registration timeout.
const SLOW: Duration = Duration::from_millis(700);

const START: &str = "nothing: the plugin was started";

async fn registers(bench: &Bench) -> Judged {
    let mut instance = bench.instance().await?;
    let within = bench.options.timeouts.registration;
    let Ok(stream) = instance.connection(within).await else {
        bench.count_stuck();
        let expected = format!("a connection within {within:?}");
        let got = silence(&mut instance).await;
        return fail_as(Incident::RegistrationTimeout, START, got, expected);
    };
    let session = bench.session(stream);
    let Some(registration) = session.registration().await else {
        bench.count_stuck();
        let expected = format!("RegisterPlugin within {within:?}");
        let ended = session.is_closed();
        let ending = if ended { Ending::Closed } else { Ending::Silent };
        let got = silence(&mut instance).await;
        let verdict = Verdict::Fail(Failure::new(START, got, expected));
        return Err(verdict.seen_as(Incident::at("RegisterPlugin", ending)));
    };
    identity(&registration)
}

fn identity(registration: &RegisterPluginRequest) -> Judged {
    let RegisterPluginRequest { plugin_name, plugin_idx, .. } = registration;
    if plugin_idx.len() != 2 || !plugin_idx.bytes().all(|byte| byte.is_ascii_digit()) {
        let got = format!("the index {plugin_idx:?}");
        let expected = "an index of two digits";
        return fail_as(Incident::RegistrationFailed, START, got, expected);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    if plugin_name.is_empty() || !plugin_name.chars().all(allowed) {
        let expected = "a name of letters, digits and the characters _ . + -";
        let got = format!("the name {plugin_name:?}");
        return fail_as(Incident::RegistrationFailed, START, got, expected);
    }
    Ok(())
}

/// Describes the difference between the expected and the actual behavior of a plugin.
pub(super) async fn silence(instance: &mut Instance) -> String {
    let exit = instance.process.as_mut().and_then(|process| process.exit());
    let mut text = match exit {
        Some(exit) => format!("the plugin ended with {exit}"),
        None => "nothing".to_owned(),
    };
    if let Some(line) = instance.last_lines().await.last() {
        text = format!("{text}; its last output: {line}");
    }
    text
}

async fn waits(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    let (instance, session) = bench.registered().await?;
    sleep(SLOW).await;
    let Err(verdict) = bench.begin(instance, session).await else {
        return Ok(());
    };
    let sent = format!("Configure and Synchronize {SLOW:?} after the registration");
    let expected = "success: the registration timeout has not passed";
    fail(sent, verdict.into_got(), expected)
}

async fn answers(bench: &Bench) -> Judged {
    let (_instance, session) = bench.registered().await?;
    let request = session.configuration(&bench.options.config);
    let Err(error) = session.configure(&request).await else {
        return Ok(());
    };
    if matches!(error, CallError::Timeout(_)) {
        bench.count_stuck();
    } else {
        unless_newer(bench).await?;
    }
    let verdict = failed("Configure", &error, "an answer with the event mask");
    Err(verdict.seen_as(Incident::of_call("Configure", &error)))
}

/// Skips if a newer runtime, whose request has more fields, can configure the plugin.
async fn unless_newer(bench: &Bench) -> Judged {
    if bench.revision.is_at_least("v0.12.0") {
        return Ok(());
    }
    let newest = Revision::newest();
    let (_instance, session) = bench.registered_as(&newest, None).await?;
    let request = session.configuration(&bench.options.config);
    if session.configure(&request).await.is_err() {
        return Ok(());
    }
    let release = newest.release();
    skip(format!("a runtime that speaks {release} can configure the plugin; see W12"))
}

async fn mask(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let (mask, release) = (live.mask, bench.revision.release());
    let known = bench.revision.events().bits();
    let extra = mask & !known;
    if extra != 0 {
        let sent = format!("Configure of a runtime that speaks NRI {release}");
        let got = format!("the mask {mask:#x}, with the unknown bits {extra:#x}");
        let expected = format!("no bit outside of {known:#x}");
        return fail_as(Incident::EventsUnknown, sent, got, expected);
    }
    if mask != 0 {
        return Ok(());
    }
    // The runtime sends every event, so each must be implemented or have a fallback.
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

async fn variations(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    for (name, vary) in VARIATIONS {
        configured(bench, name, *vary).await?;
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
    ("without an NRI version", |request| request.nri_version.clear()),
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

/// Fails unless a plugin that is configured with a changed request serves.
async fn configured(bench: &Bench, name: &str, vary: Vary) -> Judged {
    let (instance, session) = bench.registered().await?;
    let mut request = session.configuration(&bench.options.config);
    vary(&mut request);
    let sent = format!("Configure {name}");
    let verdict = |step, error| match &error {
        // The plugin requires something of the runtime, which is its own decision and not a
        // decoding error.
        CallError::Status(status) if status.code == Code::FAILED_PRECONDITION => {
            Verdict::Skip(format!("{sent}: {}", describe(&error)))
        }
        _ => failed(&*sent, &error, "success").seen_as(Incident::of_call(step, &error)),
    };
    let configured =
        session.configure(&request).await.map_err(|error| verdict("Configure", error))?;
    let nothing = SynchronizeRequest::default();
    let within = bench.options.timeouts.request;
    let synchronized = session.synchronize(&nothing, within).await;
    synchronized.map_err(|error| verdict("Synchronize", error))?;
    // Any answer will do: it shows that the plugin serves.
    let live = Live::new(bench.options.runtime, instance, session, configured.events);
    let answer = live.send(Event::StopPodSandbox, &bench.sample()).await;
    match answer.result {
        Err(CallError::Closed) => fail(sent, "the end of the connection", "a plugin that serves"),
        _ => Ok(()),
    }
}
