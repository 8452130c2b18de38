//! The skins that a runtime's line gets on its way.

use serde_json::json;

use super::NODE;

/// Puts a skin around a line.
pub type Wrap = fn(&str) -> String;

/// Every skin, by name, and whether it names the host.
pub const WRAPS: [(&str, Wrap, bool); 20] = [
    ("as it is", |line| line.to_owned(), false),
    ("windows line ends", |line| format!("{line}\r"), false),
    ("zeros before", |line| format!("\0\0\0{line}"), false),
    ("journalctl", journalctl, true),
    (
        "journalctl -o short-iso",
        |line| unit("2026-11-21T11:47:18+0000", line),
        true,
    ),
    (
        "journalctl -o short-full",
        |line| unit("Sat 2026-11-21 11:47:18 UTC", line),
        true,
    ),
    (
        "journalctl -o short-precise",
        |line| unit("Nov 21 11:47:18.909751", line),
        true,
    ),
    (
        "journalctl -o short-unix",
        |line| unit("1795261638.909751", line),
        true,
    ),
    (
        "syslog",
        |line| format!("Nov  1 11:47:18 {NODE} containerd: {line}"),
        true,
    ),
    (
        "journalctl -o export",
        |line| format!("MESSAGE={line}"),
        false,
    ),
    ("journalctl -o json", journal_json, true),
    (
        "journalctl -o json, bytes",
        |line| journal_bytes(line, ","),
        true,
    ),
    (
        "journalctl -o json, bytes, before 243",
        |line| journal_bytes(line, ", "),
        true,
    ),
    ("docker", docker, false),
    ("cri", cri, false),
    ("fluent-bit", fluent_bit, true),
    ("vector", vector, true),
    ("filebeat", filebeat, true),
    ("cloud", cloud, true),
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
