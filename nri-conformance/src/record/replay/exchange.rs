//! The requests of one recorded connection, each with its recorded answer.

use std::collections::VecDeque;
use std::io::BufRead;
use std::time::Duration;

use nri::wire::Status;

use super::super::frame::{Closer, Frame, FrameEvent, Party, Payload, Request, Response, Source};
use super::super::reader::Reader;
use crate::error::Result;

/// The maximum number of requests that are held back until the answer to the oldest one is found. Runtimes send one at a
/// time.
const MAX_PENDING: usize = 64;

/// A request of the runtime.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The number of the request among those of the connection, from 1.
    pub(super) number: u64,
    /// The time since the start of the recording.
    pub(super) at: Duration,
    pub(super) request: Request,
    pub(super) answer: RecordedAnswer,
}

/// The plugin's recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordedAnswer {
    Given(Result<Payload, Status>),
    /// The plugin did not answer.
    Missing,
    /// Answers were not recorded.
    Unknown,
}

/// Pairs the requests of one connection with their answers, in the order of the requests.
pub(super) struct Exchanges<R> {
    reader: Reader<R>,
    connection: u32,
    source: Source,
    pending: VecDeque<Exchange>,
    number: u64,
    /// True once the connection has ended.
    ended: bool,
}

impl<R: BufRead> Exchanges<R> {
    pub(super) fn new(reader: Reader<R>, connection: u32) -> Self {
        Exchanges {
            source: reader.header().source,
            reader,
            connection,
            pending: VecDeque::new(),
            number: 0,
            ended: false,
        }
    }

    /// Returns the next request.
    pub(super) fn next(&mut self) -> Result<Option<Exchange>> {
        while !self.ended && !self.is_next_known() {
            match self.reader.next_frame()? {
                Some(frame) if frame.connection == self.connection => self.add(frame),
                Some(_) => {}
                None => self.end(self.reader.end().is_some_and(|end| end.dropped > 0)),
            }
        }
        Ok(self.pending.pop_front())
    }

    fn is_next_known(&self) -> bool {
        let known = |exchange: &Exchange| match self.source {
            Source::Observer => true,
            Source::Proxy => exchange.answer != RecordedAnswer::Missing,
        };
        self.pending.front().is_some_and(known) || self.pending.len() >= MAX_PENDING
    }

    fn add(&mut self, frame: Frame) {
        match frame.event {
            FrameEvent::Request(request) if request.by == Party::Runtime => {
                self.number += 1;
                self.pending.push_back(Exchange {
                    number: self.number,
                    at: frame.at,
                    request,
                    answer: match self.source {
                        Source::Observer => RecordedAnswer::Unknown,
                        Source::Proxy => RecordedAnswer::Missing,
                    },
                });
            }
            FrameEvent::Response(response) if response.by == Party::Plugin => self.answer(response),
            FrameEvent::Lost { .. } => self.end(true),
            FrameEvent::Closed { by, .. } => self.end(by == Closer::Recorder),
            FrameEvent::Opened
            | FrameEvent::Request(_)
            | FrameEvent::Response(_)
            | FrameEvent::Other { .. } => {}
        }
    }

    fn answer(&mut self, response: Response) {
        let asked = self.pending.iter_mut().find(|exchange| {
            exchange.request.stream == response.stream && exchange.answer == RecordedAnswer::Missing
        });
        if let Some(exchange) = asked {
            exchange.answer = RecordedAnswer::Given(response.result);
        }
    }

    /// Records the end of the connection. If only its recording ended, a missing answer has no meaning.
    fn end(&mut self, lost: bool) {
        self.ended = true;
        if lost {
            for exchange in &mut self.pending {
                if exchange.answer == RecordedAnswer::Missing {
                    exchange.answer = RecordedAnswer::Unknown;
                }
            }
        }
    }
}
