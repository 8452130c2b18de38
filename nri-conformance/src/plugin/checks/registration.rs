//! W1: registration.

use std::time::Duration;

use nri::api::{RegisterPluginRequest, SynchronizeRequest};
use nri_adaptation::Revision;
use tokio::time::sleep;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{Judged, Verdict, fail};
use crate::result::Failure;
use crate::subject::Instance;

pub(super) static TESTS: &[Test] = tests! {
    ["W1"] "registers" Each registers;
    ["W1"] "waits-for-a-slow-runtime" Newest waits;
};

/// The time that a slow runtime takes for each step: less than the registration timeout.
const SLOW: Duration = Duration::from_millis(700);

const START: &str = "nothing: the plugin was started";

async fn registers(bench: &Bench, revision: &Revision) -> Judged {
    let mut instance = bench.instance().await?;
    let within = bench.options.timeouts.registration;
    let Ok(stream) = instance.connection(within).await else {
        bench.count_stuck();
        let expected = format!("a connection within {within:?}");
        return fail(START, silence(&mut instance).await, expected);
    };
    let session = bench.session(stream, revision);
    let Some(registration) = session.registration().await else {
        bench.count_stuck();
        let expected = format!("RegisterPlugin within {within:?}");
        return fail(START, silence(&mut instance).await, expected);
    };
    identity(&registration)
}

fn identity(registration: &RegisterPluginRequest) -> Judged {
    let RegisterPluginRequest {
        plugin_name,
        plugin_idx,
        ..
    } = registration;
    let is_index = plugin_idx.len() == 2 && plugin_idx.bytes().all(|byte| byte.is_ascii_digit());
    if !is_index {
        return fail(
            START,
            format!("the index {plugin_idx:?}"),
            "an index of two digits",
        );
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    if plugin_name.is_empty() || !plugin_name.chars().all(allowed) {
        let expected = "a name of letters, digits and the characters _ . + -";
        return fail(START, format!("the name {plugin_name:?}"), expected);
    }
    Ok(())
}

/// Describes a plugin that does not do what is expected.
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

async fn waits(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    let (instance, session) = bench.registered(revision).await?;
    sleep(SLOW).await;
    let begun = bench
        .begin(instance, session, &SynchronizeRequest::default())
        .await;
    let sent = format!("Configure and Synchronize {SLOW:?} after the registration");
    let expected = "success: the registration timeout has not passed";
    let broken = |got: String| Verdict::Fail(Failure::new(sent, got, expected));
    begun.map(drop).map_err(|verdict| match verdict {
        Verdict::Skip(reason) => broken(reason),
        Verdict::Blocked(breach) => broken(breach.reason()),
        verdict @ (Verdict::Fail(_) | Verdict::Known(..)) => verdict,
    })
}
