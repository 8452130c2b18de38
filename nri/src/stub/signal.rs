//! Signals that ask the plugin to stop.

use std::future::{pending, poll_fn};
use std::io;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Completes with the first SIGTERM or SIGINT.
pub(super) async fn stop_requested() {
    let (mut terminate, mut interrupt) = match listen() {
        Ok(signals) => signals,
        Err(error) => {
            tracing::warn!(%error, "cannot listen for signals: they will kill the plugin");
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
    tracing::info!("{name}: stopping after the requests in progress");
}

fn listen() -> io::Result<(Signal, Signal)> {
    Ok((
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    ))
}
