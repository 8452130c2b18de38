//! The format: recordings round-trip, and other files and incomplete recordings are rejected.

use std::time::{Duration, SystemTime};

use nri::wire::{Code, Status};
use nri_conformance::record::{
    Closer, ErrorKind, Frame, FrameEvent, Header, MAX_LINE, Party, Payload, Reader, Request,
    Response, Source, Writer,
};
use proptest::prelude::*;

fn header() -> impl Strategy<Value = Header> {
    let text = || proptest::option::of(".{0,20}");
    (text(), text(), text(), any::<[bool; 2]>(), 0..u64::MAX / 4).prop_map(
        |(nri, runtime, runtime_version, [observed, redacted], micros)| Header {
            nri,
            runtime,
            runtime_version,
            source: if observed { Source::Observer } else { Source::Proxy },
            redacted,
            started: SystemTime::UNIX_EPOCH + Duration::from_micros(micros),
        },
    )
}

fn party() -> impl Strategy<Value = Party> {
    prop_oneof![Just(Party::Runtime), Just(Party::Plugin)]
}

fn payload() -> impl Strategy<Value = Payload> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300)
            .prop_map(|bytes| Payload::Bytes(bytes.into())),
        any::<u64>().prop_map(Payload::Withheld),
    ]
}

fn request() -> impl Strategy<Value = FrameEvent> {
    let timeout = proptest::option::of(any::<u64>().prop_map(Duration::from_micros));
    (party(), any::<u32>(), ".{0,40}", ".{0,40}", timeout, payload()).prop_map(
        |(by, stream, service, method, timeout, payload)| {
            FrameEvent::Request(Request { by, stream, service, method, timeout, payload })
        },
    )
}

fn response() -> impl Strategy<Value = FrameEvent> {
    let error = (any::<i32>(), ".{0,40}")
        .prop_filter("0 is success", |(code, _)| *code != 0)
        .prop_map(|(code, message)| Status::new(Code(code), message));
    let result = prop_oneof![payload().prop_map(Ok), error.prop_map(Err)];
    (party(), any::<u32>(), result)
        .prop_map(|(by, stream, result)| FrameEvent::Response(Response { by, stream, result }))
}

fn event() -> impl Strategy<Value = FrameEvent> {
    let closer = prop_oneof![Just(Closer::Runtime), Just(Closer::Plugin), Just(Closer::Recorder)];
    prop_oneof![
        Just(FrameEvent::Opened),
        request(),
        response(),
        (party(), any::<u32>(), any::<u8>(), any::<u64>())
            .prop_map(|(by, stream, kind, length)| FrameEvent::Other { by, stream, kind, length }),
        ".{0,40}".prop_map(|reason| FrameEvent::Lost { reason }),
        (closer, proptest::option::of(".{0,40}"))
            .prop_map(|(by, reason)| FrameEvent::Closed { by, reason }),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    (any::<u64>(), any::<u32>(), event()).prop_map(|(micros, connection, event)| Frame {
        at: Duration::from_micros(micros),
        connection,
        event,
    })
}

fn written(header: &Header, frames: &[Frame], max_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, header, max_bytes).unwrap();
    for frame in frames {
        writer.write(frame).unwrap();
    }
    writer.finish().unwrap();
    bytes
}

/// Reads until the end or an error. Returns the kind of the error.
fn read(bytes: &[u8]) -> (Vec<Frame>, Option<ErrorKind>) {
    let mut frames = Vec::new();
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (frames, Some(error.kind())),
    };
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => return (frames, None),
            Err(error) => {
                assert!(error.line().is_some());
                return (frames, Some(error.kind()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(header in header(), frames in proptest::collection::vec(frame(), 0..8)) {
        let bytes = written(&header, &frames, u64::MAX);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        prop_assert_eq!(reader.header(), &header);
        for frame in &frames {
            let read = reader.next_frame().unwrap();
            prop_assert_eq!(read.as_ref(), Some(frame));
        }
        prop_assert_eq!(reader.next_frame().unwrap(), None);
        prop_assert_eq!(reader.end().unwrap().frames, frames.len() as u64);
    }
}

proptest! {
    // Each case reads as many files as it has bytes.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_recording_that_is_cut_anywhere_is_truncated(
        header in header(),
        frames in proptest::collection::vec(frame(), 0..4),
    ) {
        let bytes = written(&header, &frames, u64::MAX);
        for end in 0..bytes.len() {
            let (read, kind) = read(&bytes[..end]);
            prop_assert_eq!(kind, Some(ErrorKind::Truncated), "cut at {}", end);
            prop_assert_eq!(&read[..], &frames[..read.len()]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_damaged_recording_is_an_error_or_a_recording(
        header in header(),
        frames in proptest::collection::vec(frame(), 0..4),
        place: prop::sample::Index,
        byte: u8,
    ) {
        let mut bytes = written(&header, &frames, u64::MAX);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        read(&bytes);
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes: Vec<u8>) {
        let (frames, kind) = read(&bytes);
        prop_assert!(frames.is_empty());
        prop_assert!(kind.is_some());
    }

    #[test]
    fn a_recording_keeps_its_size_limit(
        frames in proptest::collection::vec(frame(), 0..8),
        max_bytes in 0..4000_u64,
    ) {
        let header = example();
        let bytes = written(&header, &frames, max_bytes);
        let fixed = written(&header, &[], 0).len() as u64;
        // The header and the end are always there; the end is longer if frames were left out.
        prop_assert!(bytes.len() as u64 <= max_bytes.max(fixed) + 80);
        let (read, kind) = read(&bytes);
        prop_assert_eq!(kind, None);
        prop_assert_eq!(&read[..], &frames[..read.len()]);
    }
}

fn example() -> Header {
    Header {
        nri: Some("v0.12.5".to_owned()),
        runtime: None,
        runtime_version: None,
        source: Source::Proxy,
        redacted: true,
        started: SystemTime::UNIX_EPOCH,
    }
}

#[test]
fn other_files_are_foreign() {
    for bytes in [
        &b"\x7fELF\x02\x01\x01\0"[..],
        b"\x1f\x8b\x08\0\0\0\0\0",
        b"{\"schema\":1,\"subject\":{}}\n",
        b"{\"nri-session\" :1}\n",
        b"{}\n",
        b"\n",
        b"\xef\xbb\xbf{\"nri-session\":1}\n",
        b"time=\"2026-03-18T20:15:04Z\" level=warning\n",
        b"nri-session",
        &[0; 100_000],
    ] {
        let error = Reader::new(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign, "{bytes:?}");
        assert!(error.help().is_some());
    }
}

#[test]
fn a_newer_version_is_refused_whatever_else_it_has() {
    for rest in ["", r#","source":"carrier pigeon""#, r#","started":"today""#] {
        let line = format!("{{\"nri-session\":2{rest}}}\n\0\0");
        let error = Reader::new(line.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FutureVersion);
        let message = "line 1: version 2 of the recording format; versions up to 1 can be read";
        assert_eq!(error.to_string(), message);
        assert!(error.help().unwrap().contains("newer release"));
    }
    let error = Reader::new(&b"{\"nri-session\":0}\n"[..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn a_damaged_line_is_named() {
    const HEADER: &str = r#"{"nri-session":1,"source":"proxy","redacted":true,"started":0}"#;
    for (line, expected) in [
        ("{", "line 2: EOF while parsing an object (column 1)"),
        (
            r#"{"at":1,"connection":1,"event":"exploded"}"#,
            "line 2: unknown variant `exploded`, expected one of `opened`, `request`, `response`, `other`, `lost`, \
             `closed` (column 42)",
        ),
        (r#"{"connection":1,"event":"opened"}"#, "line 2: missing field `at` (column 33)"),
        (r#"{"at":1,"event":"opened"}"#, "line 2: missing field `connection` (column 25)"),
        (
            r#"{"at":1,"connection":1,"event":"request","by":"plugin","stream":1,"service":"s","method":"m"}"#,
            "line 2: `payload` is missing (column 93)",
        ),
        (
            r#"{"at":1,"connection":1,"event":"response","by":"plugin","stream":1,"payload":"*"}"#,
            "line 2: `payload` is not base64 (column 81)",
        ),
        (
            r#"{"at":1,"connection":1,"event":"response","by":"recorder","stream":1,"payload":""}"#,
            "line 2: unknown variant `recorder`, expected `runtime` or `plugin` (column 82)",
        ),
        (
            r#"{"at":1,"connection":1,"event":"response","by":"plugin","stream":1,"code":0}"#,
            "line 2: `code` 0 is not an error (column 76)",
        ),
        (r#"{"event":"end","frames":1}"#, "line 2: the last line counts 1 frames, but there are 0"),
        ("{\"event\":\"end\",\"frames\":0}\n{}", "line 2: unexpected data after the last line"),
    ] {
        let text = format!("{HEADER}\n{line}\n");
        let error = Reader::new(text.as_bytes()).unwrap().next_frame().unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.kind(), ErrorKind::Malformed);
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_in_bounded_memory() {
    let endless = std::io::BufReader::new(std::io::Read::chain(
        &b"{\"nri-session\":1,\"source\":\"proxy\",\"redacted\":true,\"started\":0}\n"[..],
        std::io::repeat(b' '),
    ));
    let error = Reader::new(endless).unwrap().next_frame().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(error.to_string(), format!("line 2: longer than {MAX_LINE} bytes"));

    let endless_header = std::io::Read::chain(&b"{\"nri-session\":"[..], std::io::repeat(b' '));
    let refused = Reader::new(std::io::BufReader::new(endless_header)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
}

#[test]
fn the_largest_message_fits_into_a_line() {
    let frame = Frame {
        at: Duration::MAX,
        connection: u32::MAX,
        event: FrameEvent::Request(Request {
            by: Party::Runtime,
            stream: u32::MAX,
            service: "\u{1}".repeat(256),
            method: "\u{1}".repeat(256),
            timeout: Some(Duration::MAX),
            payload: Payload::Bytes(vec![0; nri::wire::MAX_MESSAGE].into()),
        }),
    };
    let bytes = written(&example(), &[frame], u64::MAX);
    assert_eq!(read(&bytes).1, None);
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    let error = Reader::open("/nonexistent/session.nri").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let message = error.to_string();
    let expected = "/nonexistent/session.nri: cannot open the recording: ";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(Reader::open("/").unwrap_err().kind(), ErrorKind::Io);
}

/// The example in the documentation is a recording.
#[test]
fn the_documented_example_is_read() {
    let page = include_str!("../../../RECORDING.md");
    let (_, after_fence) = page.split_once("```json\n").unwrap();
    let (example, _) = after_fence.split_once("```").unwrap();
    let (frames, error) = read(example.as_bytes());
    assert_eq!(error, None);
    assert_eq!(frames.len(), 6);
    let mut reader = Reader::new(example.as_bytes()).unwrap();
    let header = reader.header().clone();
    assert_eq!(written(&header, &frames, u64::MAX), example.as_bytes());
    assert!(reader.next_frame().unwrap().is_some());
}
