use std::collections::VecDeque;
use std::pin::Pin;
use std::task::Waker;

use proptest::prelude::*;
use tokio::io::ReadBuf;

use super::*;
use crate::wire::frame::Kind;

/// A stream that gives its bytes in pieces of the given sizes, over and over.
struct Pieces {
    bytes: VecDeque<u8>,
    sizes: Vec<usize>,
    turn: usize,
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        let count = size.min(buffer.remaining()).min(self.bytes.len());
        let bytes: Vec<u8> = self.bytes.drain(..count).collect();
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

fn frame(connection: u32, payload: &[u8]) -> Vec<u8> {
    let header = FrameHeader { connection, length: payload.len() as u32 };
    [&header.encode()[..], payload].concat()
}

fn message(stream: u32, data: &[u8]) -> Vec<u8> {
    let length = data.len() as u32;
    let header = MessageHeader { length, stream, kind: Kind::Request, flags: 0 };
    [&header.encode()[..], data].concat()
}

fn pieces(bytes: Vec<u8>, sizes: Vec<usize>) -> Pieces {
    Pieces { bytes: bytes.into(), sizes, turn: 0 }
}

/// Reads everything there is, as a connection would. Calls a function after each read.
fn read_each(
    mut stream: Pieces,
    mut check: impl FnMut(&Demux),
) -> Result<Vec<Message>, ConnectionError> {
    let mut demux = Demux::new([1, 2]);
    let mut context = Context::from_waker(Waker::noop());
    let mut messages = Vec::new();
    loop {
        while let Some(message) = demux.next_message()? {
            messages.push(message);
        }
        check(&demux);
        match demux.poll_fill(&mut stream, &mut context) {
            Poll::Ready(Ok(0)) => break,
            Poll::Ready(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    demux.check_end().map(|()| messages)
}

fn read_all(bytes: Vec<u8>, sizes: Vec<usize>) -> Result<Vec<Message>, ConnectionError> {
    read_each(pieces(bytes, sizes), |_| {})
}

/// Cuts what two logical connections send into frames, taking turns, with foreign and empty frames
/// in between.
fn interleave(streams: [Vec<u8>; 2], sizes: &[usize]) -> Vec<u8> {
    let mut rest = [&streams[0][..], &streams[1][..]];
    let mut bytes = Vec::new();
    for (turn, size) in sizes.iter().cycle().enumerate() {
        if rest.iter().all(|rest| rest.is_empty()) {
            break;
        }
        if turn % 7 == 3 {
            bytes.extend(frame(9, &vec![0xff; *size]));
        }
        let turns = (turn + size) % 2;
        let index = if rest[turns].is_empty() { 1 - turns } else { turns };
        let (now, later) = rest[index].split_at((*size).min(rest[index].len()));
        rest[index] = later;
        bytes.extend(frame(index as u32 + 1, now));
    }
    bytes
}

prop_compose! {
    fn any_messages()(sizes in prop::collection::vec(
        prop_oneof![Just(0usize), 1..40usize, 4070..4110usize, 1..70_000usize], 0..8,
    )) -> Vec<Vec<u8>> {
        sizes.iter().enumerate().map(|(i, size)| vec![i as u8; *size]).collect()
    }
}

fn any_sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![1..12usize, 4000..5000usize, 1..100_000usize], 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_cut_reads_the_same(
        first in any_messages(),
        second in any_messages(),
        frames in any_sizes(),
        pieces in any_sizes(),
    ) {
        let encoded = |data: &[Vec<u8>]| -> Vec<u8> {
            data.iter().zip((1..).step_by(2)).flat_map(|(data, id)| message(id, data)).collect()
        };
        let bytes = interleave([encoded(&first), encoded(&second)], &frames);
        let messages = read_all(bytes, pieces).unwrap();
        for (connection, sent) in [(1, first), (2, second)] {
            let read: Vec<_> =
                messages.iter().filter(|message| message.connection == connection).collect();
            prop_assert_eq!(read.len(), sent.len());
            for ((message, data), stream) in read.iter().zip(&sent).zip((1..).step_by(2)) {
                prop_assert_eq!(message.header.stream, stream);
                prop_assert_eq!(message.header.length as usize, data.len());
                prop_assert!(message.data == data);
            }
        }
    }

    #[test]
    fn any_bytes_end_in_messages_or_an_error(
        bytes in prop::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 0..300),
        pieces in any_sizes(),
    ) {
        if let Ok(messages) = read_all(bytes.clone(), pieces) {
            let data: usize = messages.iter().map(|message| message.data.len()).sum();
            prop_assert!(data <= bytes.len());
        }
    }
}

#[test]
fn largest_message_in_the_largest_frame_is_read() {
    let data = vec![5; MAX_MESSAGE];
    let bytes = frame(1, &message(1, &data));
    assert_eq!(bytes.len(), FRAME_HEADER_LEN + MAX_FRAME);
    let messages = read_all(bytes, vec![100_000]).unwrap();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].data == data);
}

#[test]
fn announced_sizes_are_not_allocated() {
    let header =
        MessageHeader { length: MAX_MESSAGE as u32, stream: 1, kind: Kind::Request, flags: 0 };
    let frame = FrameHeader { connection: 1, length: MAX_FRAME as u32 };
    let announced = [&frame.encode()[..], &header.encode()].concat();
    let mut stream = pieces(announced, vec![usize::MAX]);
    let mut demux = Demux::new([1, 2]);
    let mut context = Context::from_waker(Waker::noop());
    let mut sent = stream.bytes.len();
    for _ in 0..40 {
        assert!(demux.poll_fill(&mut stream, &mut context).is_ready());
        assert_eq!(demux.next_message().unwrap(), None);
        assert!(demux.held() <= 2 * sent + 3 * READ_BUFFER, "{} held for {sent}", demux.held());
        stream.bytes.extend([0; 5000]);
        sent += 5000;
    }
}

#[test]
fn frames_for_unknown_connections_are_not_kept() {
    let foreign = frame(0, &vec![0; 100_000]).repeat(20);
    let messages = read_each(pieces(foreign, vec![usize::MAX]), |demux| {
        assert!(demux.held() <= 2 * READ_BUFFER);
    });
    assert_eq!(messages.unwrap(), []);
}

#[test]
fn read_buffer_is_used_again_when_messages_are_dropped() {
    let bytes = frame(1, &message(1, &[1; 3000])).repeat(1000);
    let mut stream = pieces(bytes, vec![3018]);
    let mut demux = Demux::new([1, 2]);
    let mut context = Context::from_waker(Waker::noop());
    let mut seen = 0;
    while !matches!(demux.poll_fill(&mut stream, &mut context), Poll::Ready(Ok(0))) {
        while let Some(message) = demux.next_message().unwrap() {
            assert_eq!(message.data.len(), 3000);
            seen += 1;
        }
        assert!(demux.held() <= 2 * READ_BUFFER);
    }
    assert_eq!(seen, 1000);
}
