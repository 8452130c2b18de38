//! Documents in JSON.

use nri_compat::check::content::{File, HEAD};
use nri_compat::check::evidence::READERS;
use nri_compat::cluster::{Inventory, RESOURCES};
use nri_compat::merge::Merge;
use nri_compat::policy::Baseline;
use nri_compat::report::policy_report;
use nri_conformance::record::Reader;

use super::{Decoder, list, numbered};

/// Reads a file with one of the readers of `check`.
pub(super) fn read(reader: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|known| known.name() == reader).expect("a reader");
    let file = File {
        place: "file".into(),
        name: "file".to_owned(),
        head: bytes[..bytes.len().min(HEAD)].to_vec().into(),
        content: &bytes,
        disk: None,
    };
    let _ = reader.read(&file);
}

/// Returns a report whose only plugin has these fields, and one with many such plugins.
fn reports() -> Vec<Vec<u8>> {
    let plugin =
        |more: &str| format!(r#"{{"place":{{"file":"a"}},"role":"plugin","verdicts":[]{more}}}"#);
    let report = |subjects: &str| format!(r#"{{"schema":1,"subjects":[{subjects}]}}"#).into_bytes();
    let texts = list(r#""""#);
    vec![
        report(&list(&plugin(""))),
        report(&plugin(&format!(r#","events":[{texts}]"#))),
        report(&plugin(&format!(r#","nodes":[{texts}]"#))),
        // Entries of a collector of logs.
        format!(r#"{{"a":[{}]}}"#, list("0")).into_bytes(),
        format!(r#"{{"a":[{}]}}"#, list("[]")).into_bytes(),
        keys().into_bytes(),
    ]
}

/// Returns an object with many keys.
fn keys() -> String {
    format!("{{{}\"last\":0}}", numbered(|nth| format!("\"{nth}\":0,")))
}

fn baselines() -> Vec<Vec<u8>> {
    let baseline =
        |findings: &str| format!(r#"{{"schema":2,"findings":[{findings}]}}"#).into_bytes();
    let texts = list(r#""""#);
    vec![
        baseline(&list(r#"{"fingerprint":"","rule":""}"#)),
        baseline(&format!(r#"{{"fingerprint":"","rule":"","events":[{texts}]}}"#)),
    ]
}

/// Returns recordings with a frame that has a list where a text is expected, or unknown keys.
fn recordings() -> Vec<Vec<u8>> {
    let recording = |frame: String| {
        let header =
            r#"{"nri-session":1,"source":"proxy","redacted":true,"started":1795325397000000}"#;
        format!("{header}\n{frame}\n").into_bytes()
    };
    let numbers = list("0");
    vec![
        recording(format!(r#"{{"at":15,"connection":1,"event":"opened","x":[{numbers}]}}"#)),
        recording(format!(r#"{{"at":15,"connection":1,"event":[{numbers}]}}"#)),
    ]
}

fn bills() -> Vec<Vec<u8>> {
    let bill = |content: String| format!(r#"{{"bomFormat":"CycloneDX",{content}}}"#).into_bytes();
    let texts = list(r#""""#);
    vec![
        bill(format!(r#""components":[{}]"#, list("{}"))),
        bill(format!(r#""components":[{}]"#, list(r#"{"name":"","bom-ref":""}"#))),
        bill(format!(r#""packages":[{}]"#, list("{}"))),
        bill(format!(r#""dependencies":[{}]"#, list("{}"))),
        bill(format!(r#""dependencies":[{{"dependsOn":[{texts}]}}]"#)),
        bill(format!(r#""x":[{}]"#, list("[]"))),
    ]
}

fn one_shot() -> Vec<Vec<u8>> {
    let file = |plugins: &str| format!(r#"{{"version":"1","plugins":[{plugins}]}}"#).into_bytes();
    vec![file(&list(r#"{"type":""}"#)), file(&list("{}"))]
}

/// Returns pages of lists of objects with these fields, and of one object that is full of values.
fn pages() -> Vec<Vec<u8>> {
    let page = |items: &str| format!(r#"{{"items":[{items}]}}"#).into_bytes();
    let pod = |spec: &str| page(&format!(r#"{{"metadata":{{"name":"a"}},"spec":{{{spec}}}}}"#));
    vec![
        page(&list("{}")),
        page(&list(r#"{"status":{}}"#)),
        page(&format!(r#"{{"x":[{}]}}"#, list("0"))),
        page(&format!(r#"{{"x":[{}]}}"#, list("{}"))),
        page(&keys()),
        pod(&format!(r#""containers":[{}]"#, list("{}"))),
        pod(&format!(r#""containers":[{}]"#, list(r#"{"name":"a"}"#))),
        pod(&format!(r#""volumes":[{}]"#, list(r#"{"hostPath":{"path":"/run/nri"}}"#))),
    ]
}

/// Adds a page as a list of nodes, of pods, and of workloads.
fn add_page(page: &[u8]) {
    for resource in &RESOURCES[..3] {
        let _ = Inventory::default().add_page(resource, page);
    }
}

/// Returns reports about a node with many results, or with one that has many parts.
fn policy_reports() -> Vec<Vec<u8>> {
    let result = |more: &str| format!(r#"{{"result":"fail"{more}}}"#);
    vec![
        policy_report(&list("{}")),
        policy_report(&list(&result(""))),
        policy_report(&result(&format!(r#","resources":[{}]"#, list("{}")))),
        policy_report(&result(&format!(r#","properties":{}"#, keys().replace(":0", ":\"\"")))),
    ]
}

fn policy_report(results: &str) -> Vec<u8> {
    let head = r#""apiVersion":"a/v1","kind":"ClusterReport","scope":{"kind":"Node","name":"n"}"#;
    let summary = r#""summary":{"pass":0,"fail":0,"warn":0,"error":0,"skip":0}"#;
    format!(r#"{{{head},{summary},"metadata":{{"name":"n"}},"results":[{results}]}}"#).into_bytes()
}

pub(super) fn decoders() -> Vec<Decoder> {
    vec![
        Decoder {
            name: "report of merge",
            factor: 128 + 2,
            base: 0,
            decode: |bytes| Merge::default().read("report", &mut &*bytes),
            documents: reports(),
        },
        Decoder {
            name: "baseline",
            factor: 84 + 1,
            base: 0,
            decode: |bytes| {
                let text = std::str::from_utf8(bytes).unwrap();
                Baseline::parse("baseline", text).unwrap();
            },
            documents: baselines(),
        },
        Decoder {
            name: "recording",
            factor: 64,
            base: 0,
            decode: |bytes| {
                let mut reader = Reader::new(bytes).unwrap();
                let _ = reader.next_frame();
            },
            documents: recordings(),
        },
        Decoder {
            name: "bill of materials",
            factor: 60,
            base: 0,
            decode: |bytes| read("bill-of-materials", bytes),
            documents: bills(),
        },
        Decoder {
            name: "configuration of one-shot plugins",
            factor: 60,
            base: 0,
            decode: |bytes| read("one-shot-config", bytes),
            documents: one_shot(),
        },
        Decoder {
            name: "list of a cluster",
            factor: 80,
            base: 0,
            decode: add_page,
            documents: pages(),
        },
        Decoder {
            name: "policy report",
            factor: 80,
            base: 0,
            decode: |bytes| {
                let object = serde_json::from_slice(bytes).unwrap();
                let _ = policy_report::document(object);
            },
            documents: policy_reports(),
        },
    ]
}
