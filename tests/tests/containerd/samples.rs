//! The sample requests of `conformance` and `probe` beside those that a real containerd sends.
//!
//! A plugin that reads an annotation or a field that every containerd sets must find it in a sample as well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nri::api::SynchronizeRequest;
use nri::codec::Message as _;
use nri_adaptation::Revision;
use nri_conformance::record::{FrameEvent, Identity, Options, Reader, create_file, observe};
use nri_conformance::session::world::World;
use nri_conformance::session::{PLUGIN_SERVICE, sample_request};
use nri_tests::containerd::Containerd;
use nri_tests::messages;
use prost_reflect::{DynamicMessage, Value};

/// The fields that are present in the requests of each RPC.
type Present = BTreeMap<String, BTreeSet<String>>;

/// Adds the path of every field of a message that is present. Keys of maps and values of enumerations are part of it.
fn add(message: &DynamicMessage, path: &str, present: &mut BTreeSet<String>) {
    for (field, value) in message.fields() {
        add_value(value, &format!("{path}/{}", field.name()), present);
    }
}

fn add_value(value: &Value, path: &str, present: &mut BTreeSet<String>) {
    present.insert(path.to_owned());
    match value {
        Value::Message(message) => add(message, path, present),
        Value::List(list) => list
            .iter()
            .for_each(|value| add_value(value, path, present)),
        Value::EnumNumber(number) => {
            present.insert(format!("{path} = {number}"));
        }
        Value::Map(map) => {
            for (key, value) in map {
                let key = key.as_str().expect("the keys of NRI's maps are strings");
                add_value(value, &format!("{path}/{key}"), present);
            }
        }
        _ => {}
    }
}

/// Adds a request of a plugin's RPC. The RPCs of a connection itself, such as Configure, are not about pods.
fn add_request(present: &mut Present, rpc: &str, payload: &[u8]) {
    let pool = messages::newest();
    let service = pool
        .get_service_by_name(PLUGIN_SERVICE)
        .expect("the service of plugins");
    let method = service.methods().find(|method| method.name() == rpc);
    let input = method.expect("an RPC of plugins").input();
    let message = DynamicMessage::decode(input, payload).expect("a request");
    add(&message, "", present.entry(rpc.to_owned()).or_default());
}

/// Records what a plugin receives during the life of a pod, with another pod that runs when the plugin registers.
fn record(containerd: &mut Containerd, file: &Path) {
    let pod = containerd.run_pod("early", &[]);
    let container = containerd.create(&pod, "main", &[]);
    containerd.request("start", &container);
    let socket = containerd.nri_socket();
    let mut options = Options::default();
    options.redact = false;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    let output = create_file(file).expect("file can be created");
    let recording = runtime.spawn(async move {
        let stopped = async move { drop(stopped.await) };
        observe(&socket, Identity::default(), output, options, stopped).await
    });
    containerd.wait_for_log("plugin \"99-nri-recorder\" connected and synchronized");
    containerd.lifecycle("sample");
    drop(stop);
    runtime
        .block_on(recording)
        .expect("no panic")
        .expect("is recorded");
}

/// Returns what the requests in a recording contain.
fn recorded(file: &Path) -> Present {
    let mut present = Present::new();
    let mut reader = Reader::open(file).expect("a recording");
    while let Some(frame) = reader.next_frame().expect("a frame") {
        let FrameEvent::Request(sent) = frame.event else {
            continue;
        };
        if sent.service == PLUGIN_SERVICE && sent.method != "Configure" {
            let payload = sent.payload.bytes().expect("nothing is withheld");
            add_request(&mut present, &sent.method, payload);
        }
    }
    present
}

/// Returns what the sample requests contain.
fn samples() -> Present {
    let mut present = Present::new();
    let mut world = World::new(1);
    let pod = world.pod();
    let container = world.container(&pod);
    for rpc in Revision::rpcs() {
        if let Some(event) = rpc.event {
            let sample = sample_request(event, &pod, &container);
            add_request(&mut present, rpc.name, &sample);
        }
    }
    let state = SynchronizeRequest {
        pods: vec![pod],
        containers: vec![container],
        more: false,
    };
    add_request(&mut present, "Synchronize", &state.encode_to_vec());
    present
}

/// What containerd sends only at times: after it has stopped the process of a pod, the status of the pod may still have its
/// process id.
const RACES: [&str; 1] = ["StopPodSandbox /pod/pid"];

#[test]
fn samples_have_what_containerd_sends() {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    let mut containerd = Containerd::start("v2.4.2", &[]);
    record(&mut containerd, file.path());
    let (recorded, samples) = (recorded(file.path()), samples());
    let none = BTreeSet::new();
    let mut missing = Vec::new();
    for (rpc, sent) in &recorded {
        let sample = samples.get(rpc).unwrap_or(&none);
        missing.extend(sent.difference(sample).map(|path| format!("{rpc} {path}")));
    }
    missing.retain(|path| !RACES.contains(&path.as_str()));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(recorded.len() > 12, "{:?}", recorded.keys());
}
