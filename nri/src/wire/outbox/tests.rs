use std::task::Waker;

use bytes::Bytes;

use super::*;
use crate::wire::ttrpc::ResponseEnvelope;

/// Returns a response whose encoding has exactly `size` bytes; none has 1, 2 or 130.
fn response(size: usize) -> ResponseEnvelope {
    let payload = (0..5)
        .filter_map(|overhead| size.checked_sub(1 + overhead))
        .map(|len| ResponseEnvelope { status: None, payload: vec![7; len].into() })
        .find(|response| response.encoded_len() == size);
    payload.unwrap_or_default()
}

/// Returns the sizes of the frames that a message of `size` bytes is sent as.
fn frames(size: usize) -> Vec<usize> {
    let mut outbox = Outbox::default();
    outbox.push(1, Kind::Response, 3, &response(size)).unwrap();
    let mut bytes = outbox.bytes();
    let mut sizes = Vec::new();
    while let Some((header, rest)) = bytes.split_first_chunk::<FRAME_HEADER_LEN>() {
        let header = FrameHeader::decode(*header);
        assert_eq!(header.connection, 1);
        sizes.push(header.length as usize);
        bytes = &rest[header.length as usize..];
    }
    sizes
}

#[test]
fn messages_are_cut_so_that_a_go_peer_can_read_them() {
    assert_eq!(frames(0), [10]);
    assert_eq!(frames(100), [110]);
    assert_eq!(frames(4085), [4095]);
    assert_eq!(frames(4086), [4096]);
    assert_eq!(frames(4087), [10, 4087]);
    assert_eq!(frames(4096), [10, 4096]);
    assert_eq!(frames(MAX_MESSAGE), [10, MAX_MESSAGE]);
}

/// Takes a few bytes at a time, and only every other time.
#[derive(Default)]
struct Slow {
    taken: Vec<u8>,
    flushed: usize,
    ready: bool,
}

impl AsyncWrite for Slow {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.ready = !self.ready;
        if !self.ready {
            return Poll::Pending;
        }
        let count = bytes.len().min(1000);
        self.taken.extend_from_slice(&bytes[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushed = self.taken.len();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[test]
fn a_slow_peer_gets_every_byte_once_and_memory_is_given_back() {
    let mut context = Context::from_waker(Waker::noop());
    let mut outbox = Outbox::default();
    let mut peer = Slow::default();
    let mut sent = Vec::new();
    for round in 0..300u32 {
        if round % 3 == 0 {
            let payload = Bytes::from(vec![round as u8; 900]);
            let answer = ResponseEnvelope { status: None, payload };
            let before = outbox.len();
            outbox.push(1, Kind::Response, round, &answer).unwrap();
            sent.extend_from_slice(&outbox.bytes()[before..]);
        }
        let _ = outbox.poll_drain(&mut peer, &mut context);
        assert!(outbox.bytes.capacity() < 64 << 10, "grown while never empty");
    }
    while outbox.poll_drain(&mut peer, &mut context).is_pending() {}
    assert!(peer.taken == sent);
    assert_eq!(peer.flushed, sent.len());

    outbox.push(1, Kind::Response, 1, &response(1 << 20)).unwrap();
    while outbox.poll_drain(&mut peer, &mut context).is_pending() {}
    assert!(outbox.is_empty());
    assert!(outbox.bytes.capacity() <= MAX_KEPT_BUFFER);
}
