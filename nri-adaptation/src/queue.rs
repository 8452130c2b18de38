//! Events that occur while a plugin synchronizes.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use super::delivery::Delivery;
use super::message::Message;

/// Holds events for a plugin, in order.
#[derive(Debug)]
pub(super) struct Queue {
    events: VecDeque<Queued>,
    limit: usize,
}

/// An event, and the caller that waits for its answer.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) message: Message,
    pub(super) waiting: Option<oneshot::Sender<Delivery>>,
}

/// The way in which an event reaches a plugin.
#[derive(Debug)]
pub(super) enum Admission {
    /// The caller sends it.
    Direct,
    /// It is queued, and the answer arrives here.
    Waiting(oneshot::Receiver<Delivery>),
    /// It is queued, and no caller waits.
    Queued,
    /// The queue is full: the plugin cannot get a complete picture any more.
    Full(usize),
    /// The plugin is gone.
    Closed,
}

impl Queue {
    pub(super) fn new(limit: usize) -> Self {
        Queue {
            events: VecDeque::new(),
            limit,
        }
    }

    pub(super) fn admit(&mut self, message: &Message, waits: bool) -> Admission {
        if self.events.len() >= self.limit {
            return Admission::Full(self.limit);
        }
        let (sender, receiver) = oneshot::channel();
        self.events.push_back(Queued {
            message: message.clone(),
            waiting: waits.then_some(sender),
        });
        if waits {
            Admission::Waiting(receiver)
        } else {
            Admission::Queued
        }
    }

    pub(super) fn next(&mut self) -> Option<Queued> {
        self.events.pop_front()
    }
}
