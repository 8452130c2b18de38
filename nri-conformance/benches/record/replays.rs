//! The speed of replays.

use std::path::Path;
use std::time::{Duration, SystemTime};

use nri::api::{
    ConfigureRequest, CreateContainerRequest, Empty, RunPodSandboxRequest, StopContainerRequest,
    SynchronizeRequest,
};
use nri::codec::Message;
use nri_conformance::record::replay::{Replay, Replayed};
use nri_conformance::record::{
    Frame, FrameEvent, Header, Party, Payload, Request, Response, Source, Writer, create_file,
};
use nri_conformance::subject::{Executable, Subject};

use crate::Result;

/// Replays in turns.
const TURNS: usize = 5;

/// Replays a recording of this many events to the example `logger`.
pub(crate) async fn measure(logger: &str, events: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("session.nri");
    write(&file, events)?;
    println!("               events   events/s");
    for _ in 0..TURNS {
        for (name, quiet) in [("printing", false), ("quiet", true)] {
            let replayed = replay(&file, logger, quiet).await?;
            let rate = replayed.requests as f64 / replayed.elapsed.as_secs_f64();
            println!("{name:12} {:>8} {rate:>10.0}", replayed.requests);
        }
    }
    Ok(())
}

async fn replay(file: &Path, logger: &str, quiet: bool) -> Result<Replayed> {
    let flags: &[&str] = if quiet { &["--quiet"] } else { &[] };
    let executable = Executable::new(logger).args(flags);
    let replay = Replay::new(file, Subject::launched(executable));
    let replayed = replay.run().await?;
    replayed.assert();
    Ok(replayed)
}

/// Writes a recording in which every third event creates, starts and stops.
fn write(file: &Path, events: u64) -> Result<()> {
    let header = Header {
        nri: Some("v0.12.5".to_owned()),
        runtime: Some("containerd".to_owned()),
        runtime_version: Some("v2.4.2".to_owned()),
        source: Source::Observer,
        redacted: true,
        started: SystemTime::now(),
    };
    let output = std::io::BufWriter::new(create_file(file)?);
    let mut writer = Writer::new(output, &header, u64::MAX)?;
    let (pod, container) = crate::subject();
    let configure = ConfigureRequest {
        runtime_name: "containerd".to_owned(),
        nri_version: "v0.12.5".to_owned(),
        ..ConfigureRequest::default()
    };
    let mut stream = 1;
    let mut put = |method: &str, request: Vec<u8>| {
        let [request, response] = exchange(stream, method, request);
        stream += 2;
        [request, response].iter().try_for_each(|frame| writer.write(frame))
    };
    put("Configure", configure.encode_to_vec())?;
    put("Synchronize", SynchronizeRequest::default().encode_to_vec())?;
    for number in 0..events {
        match number % 3 {
            0 => {
                let request = RunPodSandboxRequest { pod: Some(pod.clone()) };
                put("RunPodSandbox", request.encode_to_vec())?;
            }
            1 => {
                let request = CreateContainerRequest {
                    pod: Some(pod.clone()),
                    container: Some(container.clone()),
                };
                put("CreateContainer", request.encode_to_vec())?;
            }
            _ => {
                let request = StopContainerRequest {
                    pod: Some(pod.clone()),
                    container: Some(container.clone()),
                };
                put("StopContainer", request.encode_to_vec())?;
            }
        }
    }
    writer.finish()?;
    Ok(())
}

/// Returns a request and its empty answer.
fn exchange(stream: u32, method: &str, request: Vec<u8>) -> [Frame; 2] {
    let request = FrameEvent::Request(Request {
        by: Party::Runtime,
        stream,
        service: "nri.pkg.api.v1alpha1.Plugin".to_owned(),
        method: method.to_owned(),
        timeout: None,
        payload: Payload::Bytes(request.into()),
    });
    let response = FrameEvent::Response(Response {
        by: Party::Plugin,
        stream,
        result: Ok(Payload::Bytes(Empty::default().encode_to_vec().into())),
    });
    [request, response].map(|event| Frame { at: Duration::ZERO, connection: 1, event })
}
