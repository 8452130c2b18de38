//! The memory that documents take when they are decoded: those of the worst shapes, and the most
//! bytes for each of theirs that a decoder may need. Larger documents have limits on memory that
//! follow from it.

use nri_compat::merge::Merge;
use nri_compat::policy::Baseline;
use nri_conformance::record::Reader;

use crate::counting::peak_of;

/// The elements of a list, which has just grown.
const ELEMENTS: usize = (1 << 13) + 1;

/// A decoder, the most bytes of memory for each byte, and documents in the worst shapes.
struct Decoder {
    name: &'static str,
    factor: usize,
    decode: fn(&[u8]),
    documents: Vec<Vec<u8>>,
}

fn list(element: &str) -> String {
    vec![element; ELEMENTS].join(",")
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
        format!(
            "{{{}}}",
            (0..ELEMENTS).map(|nth| format!("\"{nth}\":0")).collect::<Vec<_>>().join(",")
        )
        .into_bytes(),
    ]
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

fn decoders() -> [Decoder; 3] {
    [
        Decoder {
            name: "report of merge",
            factor: 128 + 2,
            decode: |bytes| Merge::default().read("report", &mut &*bytes),
            documents: reports(),
        },
        Decoder {
            name: "baseline",
            factor: 84 + 1,
            decode: |bytes| {
                let text = std::str::from_utf8(bytes).unwrap();
                Baseline::parse("baseline", text).unwrap();
            },
            documents: baselines(),
        },
        Decoder {
            name: "recording",
            factor: 64,
            decode: |bytes| {
                let mut reader = Reader::new(bytes).unwrap();
                let _ = reader.next_frame();
            },
            documents: recordings(),
        },
    ]
}

#[test]
fn no_byte_of_a_document_takes_more_memory_than_its_decoder_allows() {
    for decoder in decoders() {
        // What is made once is no part of it.
        decoder.documents.iter().for_each(|document| (decoder.decode)(document));
        let factors = decoder.documents.iter().map(|document| {
            let ((), peak) = peak_of(|| (decoder.decode)(document));
            peak.div_ceil(document.len())
        });
        let worst = factors.max().unwrap_or_default();
        println!("{worst:5} of {:5} {}", decoder.factor, decoder.name);
        assert!(worst <= decoder.factor, "{}: {worst}", decoder.name);
    }
}
