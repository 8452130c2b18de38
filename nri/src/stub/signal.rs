//! Signals that ask the plugin to stop.

use std::future::{pending, poll_fn};
use std::io;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Completes with the first SIGTERM or SIGINT.
pub(super) async fn asked_to_leave() {
    let (mut terminate, mut interrupt) = match listen() {
        Ok(signals) => signals,
        Err(error) => {
            tracing::warn!(%error, "signals are not heard: the plugin will be killed by them");
            return pending().await;
        }
    };
    let name = poll_fn(
        |cx| match (terminate.poll_recv(cx), interrupt.poll_recv(cx)) {
            (Poll::Ready(_), _) => Poll::Ready("SIGTERM"),
            (_, Poll::Ready(_)) => Poll::Ready("SIGINT"),
            _ => Poll::Pending,
        },
    )
    .await;
    tracing::info!("{name}: finishing what is under way, then leaving");
}

fn listen() -> io::Result<(Signal, Signal)> {
    Ok((
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    ))
}
