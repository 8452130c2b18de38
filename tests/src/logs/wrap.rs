//! The wrappers that log pipelines put around the lines of a runtime.

use serde_json::json;

use super::NODE;

/// Puts a wrapper around a line.
pub type Wrap = fn(&str) -> String;

/// Every wrapper, with its name, and true if it names the host.
pub const WRAPS: [(&str, Wrap, bool); 56] = [
    ("unwrapped", |line| line.to_owned(), false),
    ("windows line ends", |line| format!("{line}\r"), false),
    ("zeros before", |line| format!("\0\0\0{line}"), false),
    ("journalctl", journalctl, true),
    ("journalctl -o short-iso", |line| unit("2026-11-21T11:47:18+0000", line), true),
    ("journalctl -o short-full", |line| unit("Sat 2026-11-21 11:47:18 UTC", line), true),
    ("journalctl -o short-precise", |line| unit("Nov 21 11:47:18.909751", line), true),
    ("journalctl -o short-unix", |line| unit("1795261638.909751", line), true),
    ("syslog", |line| format!("Nov  1 11:47:18 {NODE} containerd: {line}"), true),
    ("journalctl -o export", |line| format!("MESSAGE={line}"), false),
    ("journalctl -o json", journal_json, true),
    ("journalctl -o json, bytes", |line| journal_bytes(line, ","), true),
    ("journalctl -o json, bytes, before 243", |line| journal_bytes(line, ", "), true),
    ("docker", docker, false),
    ("cri", cri, false),
    ("fluent-bit", fluent_bit, true),
    ("vector", vector, true),
    ("filebeat", filebeat, true),
    ("cloud", cloud, true),
    (
        "journalctl -o short-iso-precise",
        |line| unit("2026-11-21T11:47:18.909751+00:00", line),
        true,
    ),
    ("journalctl -o short-monotonic", |line| unit("[ 1234.567890]", line), true),
    ("journalctl -o short-delta", |line| unit("[ 1234.567890 <    0.001234 >]", line), true),
    (
        "journalctl -o with-unit",
        |line| format!("Sat 2026-11-21 11:47:18 UTC {NODE} containerd.service[19584]: {line}"),
        true,
    ),
    (
        "journalctl --no-hostname",
        |line| format!("Nov 21 11:47:18 containerd[19584]: {line}"),
        false,
    ),
    ("journalctl -o verbose", |line| format!("    MESSAGE={line}"), false),
    ("journalctl -o json-seq", |line| format!("\x1e{}", journal_json(line)), true),
    ("journalctl -o json-sse", |line| format!("data: {}\n", journal_json(line)), true),
    ("RFC 3164", |line| format!("<28>{}", journalctl(line)), true),
    (
        "RFC 5424",
        |line| format!("<28>1 2026-11-21T11:47:18.909751Z {NODE} containerd 19584 - - {line}"),
        true,
    ),
    (
        "RFC 5424 with structured data and a byte order mark, over TCP",
        |line| {
            format!(
                "512 <28>1 2026-11-21T11:47:18Z {NODE} containerd - ID1 [a@1 b=\"\\]\"][c] \u{feff}{line}"
            )
        },
        true,
    ),
    (
        "kubectl logs --prefix --timestamps",
        |line| format!("[pod/a-x7k2p/b] 2026-11-21T11:47:18.909751117Z {line}"),
        false,
    ),
    ("stern", |line| format!("a-x7k2p b {line}"), false),
    (
        "stern --output json",
        |line| {
            json!({"message": line, "nodeName": NODE, "namespace": "n", "podName": "p"}).to_string()
        },
        true,
    ),
    ("grep with file and line", |line| format!("/var/log/messages:123:{}", journalctl(line)), true),
    ("grep with a file", |line| format!("containerd.log:{line}"), false),
    ("grep -n", |line| format!("7:{line}"), false),
    ("grep with context", |line| format!("containerd.log-12-{line}"), false),
    ("talosctl", |line| format!("172.20.0.2: {line}"), false),
    (
        "talosctl dmesg",
        |line| {
            format!("172.20.0.2: user: warning: [2026-11-21T11:47:18.909751117Z]: [talos] {line}")
        },
        false,
    ),
    (
        "fluentd",
        |line| format!("2026-11-21 11:47:18.909751117 +0000 kube.a: {}", json!({"log": line})),
        false,
    ),
    (
        "Loki's API",
        |line| {
            let values = json!([["1795261638909751117", line]]);
            let stream = json!({"stream": {"node_name": NODE}, "values": values});
            json!({"status": "success", "data": {"resultType": "streams", "result": [stream]}})
                .to_string()
        },
        true,
    ),
    (
        "logcli -o jsonl",
        |line| {
            json!({"labels": {"host": NODE}, "line": line, "timestamp": "2026-11-21T11:47:18Z"})
                .to_string()
        },
        true,
    ),
    (
        "promtail around CRI",
        |line| json!({"labels": {"host": NODE}, "line": cri(line)}).to_string(),
        true,
    ),
    (
        "CloudWatch",
        |line| {
            json!({"events": [{"timestamp": 1795261638909_u64, "message": line, "ingestionTime": 1}]}).to_string()
        },
        false,
    ),
    (
        "Stackdriver",
        |line| {
            json!({"resource": {"labels": {"instance": NODE}}, "textPayload": line, "timestamp": "2026-11-21T11:47:18Z"}).to_string()
        },
        false,
    ),
    (
        "Azure",
        |line| {
            json!({"TimeGenerated": "2026-11-21T11:47:18Z", "Computer": NODE, "LogEntry": line})
                .to_string()
        },
        true,
    ),
    (
        "OpenTelemetry",
        |line| {
            let record =
                json!({"timeUnixNano": "1795261638909751117", "body": {"stringValue": line}});
            json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).to_string()
        },
        false,
    ),
    (
        "an unknown key, three levels deep",
        |line| json!({"a": {"b": [{"payload": line}]}}).to_string(),
        false,
    ),
    ("colours", |line| format!("\x1b[33m{line}\x1b[0m"), false),
    ("colours in bytes", |line| journal_bytes(&format!("\x1b[33m{line}\x1b[0m"), ","), true),
    (
        "windows line ends in docker",
        |line| {
            json!({"log": format!("{line}\r\n"), "stream": "stderr", "time": "2026-11-21T11:47:18.9Z"}).to_string()
        },
        false,
    ),
    (
        "CRI with two tags",
        |line| format!("2026-11-21T11:47:18.909751117Z stderr F:x {line}"),
        false,
    ),
    ("CRI in two pieces", cri_pieces, false),
    (
        "CRI in two pieces, windows line ends",
        |line| cri_pieces(line).replace('\n', "\r\n") + "\r",
        false,
    ),
    ("docker in pieces", docker_pieces, false),
    (
        "fluent-bit around journald around a file",
        |line| fluent_bit(&journal_json(&journalctl(line))),
        true,
    ),
];

fn journalctl(line: &str) -> String {
    unit("Nov 21 11:47:18", line)
}

fn unit(time: &str, line: &str) -> String {
    format!("{time} {NODE} containerd[19584]: {line}")
}

fn journal_json(line: &str) -> String {
    let entry = json!({
        "__CURSOR": "s=1", "_HOSTNAME": NODE, "_PID": "19584", "PRIORITY": "6", "MESSAGE": line,
        "__REALTIME_TIMESTAMP": "1795261638909751",
    });
    entry.to_string()
}

fn journal_bytes(line: &str, comma: &str) -> String {
    let bytes: Vec<String> = line.bytes().map(|byte| byte.to_string()).collect();
    let numbers = bytes.join(comma);
    match comma {
        "," => format!(
            r#"{{"_HOSTNAME":"{NODE}","MESSAGE":[{numbers}],"__REALTIME_TIMESTAMP":"1795261638909751"}}"#
        ),
        _ => format!(
            r#"{{ "_HOSTNAME" : "{NODE}", "MESSAGE" : [ {numbers} ], "__REALTIME_TIMESTAMP" : "1795261638909751" }}"#
        ),
    }
}

fn docker(line: &str) -> String {
    json!({"log": format!("{line}\n"), "stream": "stderr", "time": "2026-11-21T11:47:18.909751117Z"}).to_string()
}

fn cri(line: &str) -> String {
    format!("2026-11-21T11:47:18.909751117Z stderr F {line}")
}

fn fluent_bit(line: &str) -> String {
    let pod = json!({"pod_name": "p", "host": NODE, "labels": {"app": "a"}});
    json!({"date": 1795261638.909751, "log": line, "hostname": "fluent-bit-x7k2p", "kubernetes": pod}).to_string()
}

fn vector(line: &str) -> String {
    json!({"host": NODE, "message": line, "source_type": "file", "timestamp": "2026-11-21T11:47:18Z"}).to_string()
}

fn filebeat(line: &str) -> String {
    let source = json!({"@timestamp": "2026-11-21T11:47:18.909Z", "host": {"name": NODE}, "message": line, "log": {"offset": 7}});
    json!({"_index": "filebeat", "_source": source}).to_string()
}

fn cloud(line: &str) -> String {
    let payload = json!({"MESSAGE": line, "_HOSTNAME": NODE});
    json!({"jsonPayload": payload, "severity": "INFO", "timestamp": "2026-11-21T11:47:18Z"})
        .to_string()
}

/// Pieces of a line wherever it has an escaped character, with a line of the other stream between
/// them.
fn docker_pieces(line: &str) -> String {
    let time = "2026-11-21T11:47:18.909751117Z";
    let other = json!({"log": "-\n", "stream": "stdout", "time": time});
    let text = format!("{line}\n");
    let pieces = text
        .split_inclusive(['"', '\\'])
        .map(|piece| json!({"log": piece, "stream": "stderr", "time": time}));
    pieces.map(|piece| format!("{piece}\n{other}")).collect::<Vec<_>>().join("\n")
}

/// Two pieces of a line, with a line of the other stream between them.
fn cri_pieces(line: &str) -> String {
    let half = line.len() / 2;
    let (one, other) = line.split_at((half..).find(|at| line.is_char_boundary(*at)).unwrap_or(0));
    let time = "2026-11-21T11:47:18.909751117Z";
    format!("{time} stderr P {one}\n{time} stdout F -\n{time} stderr F {other}")
}
