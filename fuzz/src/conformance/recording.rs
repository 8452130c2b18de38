//! Any bytes are a recording that is written again unchanged, or an error. Its replay ends and its
//! runtime is judged, without a panic.

use std::time::Duration;

use nri::prelude::*;
use nri_conformance::record::replay::Replay;
use nri_conformance::record::{Frame, Header, Reader, Result, Writer};
use nri_conformance::runtime;
use nri_conformance::subject::Subject;

#[derive(NriPlugin)]
#[nri(name = "marker", index = "10")]
struct Marker;

impl CreateContainer for Marker {
    async fn create_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().annotation("pod", pod.name))
    }
}

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let Ok((header, frames)) = read(bytes) else {
        return;
    };
    let mut written = Vec::new();
    let mut writer = Writer::new(&mut written, &header, u64::MAX).unwrap();
    for frame in &frames {
        writer.write(frame).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(read(&written).unwrap(), (header, frames));
    replay(&written);
    // Its runtime can be judged, whatever the result.
    runtime::recording::judge_reader(Reader::new(&*written).unwrap(), |_| true).unwrap();
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Frame>)> {
    let mut reader = Reader::new(bytes)?;
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame()? {
        frames.push(frame);
    }
    Ok((reader.header().clone(), frames))
}

fn replay(recording: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), recording).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let replay = Replay::new(file.path(), Subject::in_process(Marker));
        // Which errors and differences there are depends on the recording.
        let _ = replay.timeout(Duration::from_secs(2)).run().await;
    });
}
