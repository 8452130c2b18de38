//! Behaviour that the annotations of a pod request.

use std::thread;
use std::time::Duration;

use nri::prelude::*;
use nri_tests::pad;
use serde_json::{Value, json};

/// Prints an event and performs the actions that annotations request.
pub(crate) async fn handle(
    event: &str,
    pod: &PodSandbox,
    container: Option<&Container>,
) -> nri::Result<()> {
    println!("{}", line(event, pod, container));
    if pod.annotation("peer/on").is_some_and(|on| on != event) {
        return Ok(());
    }
    if let Some(time) = milliseconds(pod, "peer/sleep-ms") {
        tokio::time::sleep(time).await;
    }
    if let Some(time) = milliseconds(pod, "peer/block-ms") {
        thread::sleep(time);
    }
    if let Some(text) = pod.annotation("peer/panic") {
        panic!("{text}");
    }
    match pod.annotation("peer/error") {
        Some(text) => Err(nri::Error::new(text.to_owned())),
        None => Ok(()),
    }
}

fn milliseconds(pod: &PodSandbox, key: &str) -> Option<Duration> {
    pod.annotation(key)?.parse().ok().map(Duration::from_millis)
}

fn line(event: &str, pod: &PodSandbox, container: Option<&Container>) -> Value {
    let mut line = json!({"event": event, "pod": pod.id});
    if let Some(container) = container {
        line["container"] = container.id.as_str().into();
    }
    if let Some(text) = pod.annotation(pad::KEY) {
        line["pad_bytes"] = text.len().into();
        line["intact"] = pad::intact(text).into();
    }
    line
}

/// Returns the answer to CreateContainer.
pub(crate) fn adjustment(pod: &PodSandbox) -> Adjustment {
    let mut adjustment = Adjustment::new();
    let bytes = pod.annotation("peer/adjust-bytes");
    if let Some(bytes) = bytes.and_then(|bytes| bytes.parse().ok()) {
        adjustment = adjustment.annotation(pad::KEY, pad::text(bytes));
    }
    match pod.annotation("peer/update") {
        Some(id) => adjustment.update(update(id)),
        None => adjustment,
    }
}

/// Returns the updates in the answer to other events.
pub(crate) fn updates(pod: &PodSandbox) -> Updates {
    match pod.annotation("peer/update") {
        Some(id) => Updates::new().update(update(id)),
        None => Updates::new(),
    }
}

fn update(id: &str) -> ContainerUpdate {
    ContainerUpdate::new(id).cpu_shares(123)
}

/// Updates a container in a separate call.
pub(crate) fn update_unsolicited(cx: &EventContext, pod: &PodSandbox) {
    let Some(id) = pod.annotation("peer/unsolicited").map(str::to_owned) else {
        return;
    };
    let updater = cx.updater();
    tokio::spawn(async move {
        let outcome = updater.update(Updates::new().update(update(&id))).await;
        let line = match outcome {
            Ok(()) => json!({"event": "updated", "failed": 0}),
            Err(nri::stub::UpdateError::Failed(all)) => {
                json!({"event": "updated", "failed": all.len()})
            }
            Err(error) => json!({"event": "updated", "error": error.to_string()}),
        };
        println!("{line}");
    });
}
