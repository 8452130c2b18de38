//! The sample requests of `conformance` and `probe` beside those that a real containerd and a real
//! CRI-O send.
//!
//! A plugin must find a field or an annotation in a sample exactly if the runtime sets it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nri::api::SynchronizeRequest;
use nri::codec::Message as _;
use nri_adaptation::Revision;
use nri_conformance::record::{FrameEvent, Options, Reader, create_file, observe};
use nri_conformance::session::world::World;
use nri_conformance::session::{PLUGIN_SERVICE, RuntimeKind, sample_request};
use nri_tests::node::Node;
use nri_tests::{containerd, crio, messages};
use prost_reflect::{DynamicMessage, Value};

/// The annotations that every kubelet gives to a pod.
const POD_ANNOTATIONS: [&str; 2] =
    ["kubernetes.io/config.seen=2026-01-01T00:00:00.000000000Z", "kubernetes.io/config.source=api"];

/// The annotations that every kubelet gives to a container.
const CONTAINER_ANNOTATIONS: [&str; 5] = [
    "io.kubernetes.container.hash=9c3e6f01",
    "io.kubernetes.container.restartCount=0",
    "io.kubernetes.container.terminationMessagePath=/dev/termination-log",
    "io.kubernetes.container.terminationMessagePolicy=File",
    "io.kubernetes.pod.terminationGracePeriod=30",
];

/// The fields that are present in the requests of each RPC.
type Present = BTreeMap<String, BTreeSet<String>>;

/// Adds the path of every field of a message that is present. Keys of maps and values of
/// enumerations are part of it.
fn add(message: &DynamicMessage, path: &str, present: &mut BTreeSet<String>) {
    for (field, value) in message.fields() {
        add_value(value, &format!("{path}/{}", field.name()), present);
    }
}

fn add_value(value: &Value, path: &str, present: &mut BTreeSet<String>) {
    present.insert(path.to_owned());
    match value {
        Value::Message(message) => add(message, path, present),
        Value::List(list) => list.iter().for_each(|item| add_value(item, path, present)),
        Value::EnumNumber(number) => {
            present.insert(format!("{path} = {number}"));
        }
        Value::Map(map) => {
            for (key, held) in map {
                let key = key.as_str().expect("the keys of NRI's maps are strings");
                add_value(held, &format!("{path}/{key}"), present);
            }
        }
        _ => {}
    }
}

/// Adds a request of a plugin's RPC. An event in StateChange counts as a request of the RPC that is
/// dedicated to it.
fn add_request(present: &mut Present, rpc: &str, payload: &[u8]) {
    let pool = messages::newest();
    let service = pool.get_service_by_name(PLUGIN_SERVICE).expect("the service of plugins");
    let method = service.methods().find(|method| method.name() == rpc);
    let input = method.expect("an RPC of plugins").input();
    let mut message = DynamicMessage::decode(input, payload).expect("a request");
    let rpc = match rpc {
        "StateChange" => take_event(&mut message),
        dedicated => dedicated,
    };
    add(&message, "", present.entry(rpc.to_owned()).or_default());
}

/// Removes the event from a StateChange, and returns the RPC that is dedicated to it.
fn take_event(message: &mut DynamicMessage) -> &'static str {
    let event = message.get_field_by_name("event").and_then(|value| value.as_enum_number());
    message.clear_field_by_name("event");
    let rpc = Revision::rpcs().iter().find(|rpc| rpc.event.map(i32::from) == event);
    rpc.expect("an event of NRI").name
}

/// Runs the whole life of a pod with one container, as a kubelet does.
fn live(node: &mut Node, name: &str) {
    let pod = node.run_pod(name, &POD_ANNOTATIONS);
    let container = node.create(&pod, "main", &CONTAINER_ANNOTATIONS);
    for verb in ["start", "update"] {
        node.request(verb, &container);
    }
    node.request("update-pod", &pod);
    for verb in ["stop", "remove"] {
        node.request(verb, &container);
    }
    node.remove_pod(&pod);
}

/// Records what a plugin receives during the life of a pod, with another pod that runs when the
/// plugin registers.
fn record(node: &mut Node, file: &Path) {
    let pod = node.run_pod("early", &POD_ANNOTATIONS);
    let container = node.create(&pod, "main", &CONTAINER_ANNOTATIONS);
    node.request("start", &container);
    let socket = node.nri_socket();
    let mut options = Options::default();
    options.redact = false;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    let output = create_file(file).expect("file can be created");
    let recording = runtime.spawn(async move {
        let stopped = async move { drop(stopped.await) };
        observe(&socket, "99", output, options, stopped).await
    });
    node.wait_for_log("plugin \"99-nri-recorder\" connected and synchronized");
    live(node, "sample");
    drop(stop);
    runtime.block_on(recording).expect("no panic").expect("is recorded");
}

/// Returns what the requests in a recording contain. The RPCs of a connection itself, such as
/// Configure, are not about pods.
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
fn samples(runtime: RuntimeKind) -> Present {
    let mut present = Present::new();
    let mut world = World::of(runtime, 1);
    let pod = world.pod();
    let container = world.container(&pod);
    for rpc in Revision::rpcs() {
        if let Some(event) = rpc.event {
            let sample = sample_request(runtime, event, &pod, &container);
            add_request(&mut present, rpc.name, &sample);
        }
    }
    let state = SynchronizeRequest { pods: vec![pod], containers: vec![container], more: false };
    add_request(&mut present, "Synchronize", &state.encode_to_vec());
    present
}

/// The values that all samples have and no recorded request has: the pods are on the network of the
/// machine, no kubelet creates cgroups for them, there is no systemd, and only the pods of samples
/// have numbers.
const NOT_RECORDED: [&str; 6] = [
    "/ips",
    "/annotations/io.kubernetes.cri-o.IP.0",
    "/linux/namespaces/path",
    "/linux/cgroup_parent",
    "/annotations/org.systemd.property.",
    "/annotations/conformance/pod",
];

/// Asserts that the requests of a runtime and the samples have the same fields, apart from the
/// accepted differences.
fn compare(mut node: Node, runtime: RuntimeKind, accepted: &[&str]) {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    record(&mut node, file.path());
    let recorded = recorded(file.path());
    let mut different = Vec::new();
    for (rpc, sample) in &samples(runtime) {
        let Some(sent) = recorded.get(rpc) else {
            different.push(format!("never recorded: {rpc}"));
            continue;
        };
        let missing = sent.difference(sample);
        different.extend(missing.map(|path| format!("only recorded: {rpc} {path}")));
        let mut invented = sample.difference(sent).collect::<Vec<_>>();
        invented.retain(|path| !NOT_RECORDED.iter().any(|part| path.contains(part)));
        different.extend(invented.iter().map(|path| format!("only in the sample: {rpc} {path}")));
    }
    different.retain(|line| !accepted.contains(&line.as_str()));
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// After containerd has stopped the process of a pod, the status of the pod may still have its
/// process id.
#[test]
fn samples_look_like_requests_of_containerd() {
    let containerd = containerd::start("v2.4.2", &[]);
    let accepted = ["only recorded: StopPodSandbox /pod/pid"];
    compare(containerd, RuntimeKind::Containerd, &accepted);
}

#[test]
fn samples_look_like_requests_of_crio() {
    let accepted = ["never recorded: PostUpdatePodSandbox"];
    compare(crio::start(), RuntimeKind::Crio, &accepted);
}
