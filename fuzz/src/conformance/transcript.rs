//! Whatever the two ends send, the recording can be read, and the redacted one has the same frames.

use nri_conformance::record::{Frame, Options, Party, Reader, transcribe};

/// Runs the target once.
pub(crate) fn run(chunks: Vec<(bool, &[u8])>) {
    assert_eq!(recorded(&chunks, true).len(), recorded(&chunks, false).len());
}

fn recorded(chunks: &[(bool, &[u8])], redact: bool) -> Vec<Frame> {
    let mut options = Options::default();
    options.redact = redact;
    let sent = chunks.iter().map(|(by_plugin, bytes)| {
        let by = if *by_plugin { Party::Plugin } else { Party::Runtime };
        (by, *bytes)
    });
    frames(&transcribe(sent, options).unwrap())
}

fn frames(recording: &[u8]) -> Vec<Frame> {
    let mut reader = Reader::new(recording).unwrap();
    std::iter::from_fn(|| reader.next_frame().unwrap()).collect()
}
