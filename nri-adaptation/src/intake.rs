//! Decodes what plugins send, within a budget of memory, and away from the threads that serve other plugins.
//!
//! A message takes far more memory than bytes on the wire: an empty [`ContainerUpdate`] has two bytes. What is decoded
//! at once is therefore estimated over all plugins by the size of the messages, and a message with more entries than fit
//! into the budget is refused before it is decoded. What is nested in an entry is not counted.

use bytes::Bytes;
use nri::api::{ContainerUpdate, CreateContainerResponse, Event, UpdateContainerResponse};
use nri::codec::Message;
use nri::plugin::Body;
use nri::wire::{Code, Status};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::state::entries;

/// The estimated memory in bytes that requests for updates of all plugins take at once, until the runtime has applied
/// them. The answers of all plugins may take as much again while they are decoded.
const BUDGET: usize = 128 << 20;

/// The bytes of memory that a byte of a message takes at worst, rounded up.
const WORST_FACTOR: usize = 512;

/// A message up to this encoded size waits for no budget, so that no large message delays it.
pub(super) const SMALL: usize = 4 << 10;

/// A message above this encoded size is decoded on a thread that may block.
const LARGE: usize = 64 << 10;

/// The unit of the budget in bytes.
const UNIT: usize = 1 << 10;

/// A share of the budget, which is returned when this is dropped. A small message has none.
pub(super) type Share<'a> = Option<SemaphorePermit<'a>>;

/// The budgets of an adaptation. They are apart so that a runtime that takes its time to apply updates delays no event.
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

    /// Decodes an answer.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`decode`].
    pub(super) async fn answer<M>(&self, name: &str, encoded: Bytes) -> Result<M, Status>
    where
        M: Message + Send + 'static,
    {
        let _share = share(&self.answers, encoded.len()).await;
        decode(name, encoded).await
    }

    /// Decodes a large answer to an event, so that merging it need not. Leaves others as they are.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`decode`].
    pub(super) async fn event(&self, event: Event, answer: Body) -> Result<Body, Status> {
        let encoded = match answer {
            Body::Encoded(encoded) if encoded.len() > LARGE => encoded,
            small => return Ok(small),
        };
        let name = event.name();
        if event == Event::CreateContainer {
            let answer: CreateContainerResponse = self.answer(name, encoded).await?;
            Ok(Body::Message(Box::new(answer)))
        } else if event == Event::UpdateContainer {
            let answer: UpdateContainerResponse = self.answer(name, encoded).await?;
            Ok(Body::Message(Box::new(answer)))
        } else {
            check(name, &encoded).map(|()| Body::Encoded(encoded))
        }
    }
}

/// Waits for the share of a message. One that may need more than there is waits for all of it.
async fn share(budget: &Semaphore, encoded: usize) -> Share<'_> {
    if encoded <= SMALL {
        return None;
    }
    let units = (encoded.saturating_mul(WORST_FACTOR) / UNIT).min(BUDGET / UNIT);
    // The semaphore is never closed, and the number of units is small.
    budget.acquire_many(u32::try_from(units).unwrap_or(u32::MAX)).await.ok()
}

/// Decodes a message, on a thread that may block if it is large.
///
/// # Errors
///
/// Returns RESOURCE_EXHAUSTED for a message with more entries than fit into the budget, and INVALID_ARGUMENT for one that is unreadable.
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
    check(name, encoded)?;
    M::decode(encoded)
        .map_err(|error| Status::invalid_argument(format!("{name} is unreadable: {error}")))
}

/// Checks that the entries of a message fit into the budget, without what is nested in them. The largest entry that plugins
/// send is an update.
fn check(name: &str, encoded: &[u8]) -> Result<(), Status> {
    let most = BUDGET / size_of::<ContainerUpdate>();
    let entries = entries(encoded);
    if entries <= most {
        return Ok(());
    }
    let message = format!("{name} has {entries} entries, at most {most} fit into memory");
    Err(Status::new(Code::RESOURCE_EXHAUSTED, message))
}
