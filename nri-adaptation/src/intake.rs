//! Decodes what plugins send, within a budget of memory, and away from the threads that serve other
//! plugins.
//!
//! A message takes far more memory than bytes on the wire: an empty [`Hook`](nri::api::Hook) has
//! two bytes. Each message has a limit when it
//! is decoded. The messages that are decoded at the same time, of all plugins, share a budget, from
//! which each takes the maximum for its size.

use bytes::Bytes;
use nri::__private::{WORST_FACTOR, decoded_limit};
use nri::api::{CreateContainerResponse, Event, UpdateContainerResponse};
use nri::codec::Message;
use nri::plugin::Body;
use nri::wire::{Code, Status};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The memory in bytes that requests for updates of all plugins take at most, until the runtime has
/// applied them. The answers of all plugins may take as much again until they are merged.
const BUDGET: usize = 128 << 20;

/// A message up to this encoded size waits for no budget, so that no large message delays it.
pub(super) const SMALL: usize = 4 << 10;

/// A message above this encoded size is decoded on a thread that may block.
const LARGE: usize = 64 << 10;

/// The unit of the budget in bytes.
const UNIT: usize = 1 << 10;

/// A share of the budget, which is returned when this is dropped. A small message has none.
pub(super) type Share<'a> = Option<SemaphorePermit<'a>>;

/// The budgets of an adaptation. They are apart so that a runtime that takes its time to apply
/// updates delays no event.
#[derive(Debug)]
pub(super) struct Intake {
    updates: Semaphore,
    answers: Semaphore,
}

impl Default for Intake {
    fn default() -> Self {
        let budget = || Semaphore::new(BUDGET / UNIT);
        Intake { updates: budget(), answers: budget() }
    }
}

impl Intake {
    /// Waits until a request for updates fits into the budget.
    pub(super) async fn update(&self, encoded: &Bytes) -> Share<'_> {
        share(&self.updates, encoded.len()).await
    }

    /// Waits until an answer fits into the budget.
    pub(super) async fn answer(&self, encoded: &[u8]) -> Share<'_> {
        share(&self.answers, encoded.len()).await
    }
}

/// Decodes a large answer to an event, so that merging it need not. Leaves others as they are.
///
/// # Errors
///
/// Returns the errors of [`decode`].
pub(super) async fn decode_answer(event: Event, answer: Body) -> Result<Body, Status> {
    let encoded = match answer {
        Body::Encoded(encoded) if encoded.len() > LARGE => encoded,
        small => return Ok(small),
    };
    let name = event.name();
    if event == Event::CreateContainer {
        let decoded: CreateContainerResponse = decode(name, encoded).await?;
        Ok(Body::Message(Box::new(decoded)))
    } else if event == Event::UpdateContainer {
        let decoded: UpdateContainerResponse = decode(name, encoded).await?;
        Ok(Body::Message(Box::new(decoded)))
    } else {
        Ok(Body::Encoded(encoded))
    }
}

/// Waits for the share of a message.
async fn share(budget: &Semaphore, encoded: usize) -> Share<'_> {
    if encoded <= SMALL {
        return None;
    }
    let most = encoded.saturating_mul(WORST_FACTOR).min(decoded_limit(encoded));
    // A message on the wire never needs more than there is. The semaphore is never closed, and the
    // number is small.
    let units = most.min(BUDGET) / UNIT;
    budget.acquire_many(u32::try_from(units).unwrap_or(u32::MAX)).await.ok()
}

/// Decodes a message, on a thread that may block if it is large.
///
/// # Errors
///
/// Returns RESOURCE_EXHAUSTED for a message that would take too much memory, and INVALID_ARGUMENT
/// for one that is unreadable.
pub(super) async fn decode<M>(name: &str, encoded: Bytes) -> Result<M, Status>
where
    M: Message + Send + 'static,
{
    if encoded.len() <= LARGE {
        return read(name, &encoded);
    }
    let name = name.to_owned();
    let reading = tokio::task::spawn_blocking(move || read(&name, &encoded));
    reading.await.unwrap_or_else(|error| Err(Status::new(Code::INTERNAL, panicked(error))))
}

fn panicked(error: tokio::task::JoinError) -> String {
    format!("decoding ended early: {error}")
}

fn read<M: Message>(name: &str, encoded: &Bytes) -> Result<M, Status> {
    M::decode(encoded).map_err(|error| {
        let code =
            if error.is_over_budget() { Code::RESOURCE_EXHAUSTED } else { Code::INVALID_ARGUMENT };
        Status::new(code, format!("{name} is unreadable: {error}"))
    })
}
