//! `logs` on recorded runs, and on the same lines in every format, cut, mixed and damaged.

use serde_json::json;

use nri_compat::sighting::{Certainty, FileKind, Interface};
use nri_tests::logs::{
    OLD_EVENTS, Plugin, WRAPS, plugins, read, recorded, recorded_lines, recordings,
};

const OLD: &str = "containerd-v2.4.2-old-plugin.logfmt.log";
const OLD_JSON: &str = "containerd-v2.4.2-old-plugin.json.log";

/// The warning of CRI-O.
const CRI_O: &str =
    "plugin 10-template uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call";

/// Plugin, whether it is deprecated, NRI version of its own account.
type Found<'a> = (&'a str, bool, Option<&'a str>);

/// Recording, what is found in it.
const EXPECTED: [(&str, &[Found<'_>]); 16] = [
    ("containerd-v2.2.9-new-plugin.deprecations.json", &[]),
    ("containerd-v2.2.9-new-plugin.deprecations.txt", &[]),
    ("containerd-v2.2.9-new-plugin.json.log", &[("10-template", false, None)]),
    ("containerd-v2.2.9-new-plugin.logfmt.log", &[("10-template", false, None)]),
    ("containerd-v2.2.9-old-plugin.deprecations.json", &[]),
    ("containerd-v2.2.9-old-plugin.deprecations.txt", &[]),
    ("containerd-v2.2.9-old-plugin.json.log", &[("10-template", false, None)]),
    ("containerd-v2.2.9-old-plugin.logfmt.log", &[("10-template", false, None)]),
    ("containerd-v2.4.2-new-plugin.deprecations.json", &[]),
    ("containerd-v2.4.2-new-plugin.deprecations.txt", &[]),
    ("containerd-v2.4.2-new-plugin.json.log", &[("10-template", false, Some("v0.12.5"))]),
    ("containerd-v2.4.2-new-plugin.logfmt.log", &[("10-template", false, Some("v0.12.5"))]),
    ("containerd-v2.4.2-old-plugin.deprecations.json", &[("", true, None)]),
    ("containerd-v2.4.2-old-plugin.deprecations.txt", &[("", true, None)]),
    ("containerd-v2.4.2-old-plugin.json.log", &[("10-template", true, None)]),
    ("containerd-v2.4.2-old-plugin.logfmt.log", &[("10-template", true, None)]),
];

#[test]
fn every_recording_yields_what_the_table_says() {
    let names: Vec<&str> = EXPECTED.iter().map(|(name, _)| *name).collect();
    assert_eq!(recordings(), names, "the table covers all recordings");
    for (name, expected) in EXPECTED {
        let log = read(&recorded(name));
        let found: Vec<(String, bool, Option<&str>)> = log
            .sightings
            .iter()
            .map(|one| {
                let plugin = Plugin::from(one);
                (plugin.name, one.interface == Interface::StateChange, one.nri.version.as_deref())
            })
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(plugin, old, nri)| ((*plugin).to_owned(), *old, *nri)).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(log.skipped, [], "{name}");
    }
}

#[test]
fn a_warned_plugin_has_its_events_times_and_count() {
    for name in [OLD, OLD_JSON] {
        let log = read(&recorded(name));
        let [one] = log.sightings.as_slice() else { panic!("{name}: {:?}", log.sightings) };
        assert_eq!((one.index.as_deref(), one.name.as_deref()), (Some("10"), Some("template")));
        assert_eq!(one.events.names, OLD_EVENTS, "{name}");
        assert_eq!((one.events.certainty, one.kind), (Certainty::Observed, FileKind::Log));
        let seen = one.occurrences.as_ref().expect("logs count");
        assert_eq!(seen.count, 10, "registered, synchronized, eight warnings");
        assert!(seen.first < seen.last && seen.first.is_some(), "{seen:?}");
    }
}

#[test]
fn a_list_of_deprecations_names_no_plugin_and_says_so() {
    for (name, last) in [
        ("containerd-v2.4.2-old-plugin.deprecations.json", "2026-11-21T11:47:19.628793835Z"),
        ("containerd-v2.4.2-old-plugin.deprecations.txt", "2026-11-21T11:47:19.628793835Z"),
    ] {
        let log = read(&recorded(name));
        let one = log.sightings.first().expect("one entry is about NRI");
        assert_eq!((one.kind, &one.name), (FileKind::DeprecationList, &None));
        assert_eq!(
            one.occurrences.as_ref().and_then(|seen| seen.last.as_deref()),
            Some(last),
            "{name}"
        );
        assert!(
            one.evidence[0].detail.contains("names neither plugin nor event"),
            "{:?}",
            one.evidence
        );
    }
    let compact: String = recorded_lines("containerd-v2.4.2-old-plugin.deprecations.json").concat();
    let log = read(compact.as_bytes());
    let kinds: Vec<_> = log.sightings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FileKind::DeprecationList]);
}

#[test]
fn every_wrapper_leaves_plugins_and_events_as_they_are() {
    for name in [
        OLD,
        OLD_JSON,
        "containerd-v2.4.2-new-plugin.logfmt.log",
        "containerd-v2.2.9-old-plugin.json.log",
    ] {
        let plain = plugins(&read(&recorded(name)));
        assert!(!plain.is_empty());
        for (wrapper, wrap, names_host) in WRAPS {
            let wrapped: Vec<String> = recorded_lines(name).iter().map(|line| wrap(line)).collect();
            let log = read(wrapped.join("\n").as_bytes());
            assert_eq!(plugins(&log), plain, "{name}, {wrapper}");
            assert_eq!(log.skipped, [], "{name}, {wrapper}");
            let on_host = log
                .sightings
                .iter()
                .all(|one| one.evidence.iter().any(|note| note.detail == "logged on node-1"));
            assert_eq!(on_host, names_host, "{name}, {wrapper}");
        }
    }
}

#[test]
fn the_list_survives_the_wrappers_of_containers() {
    for name in [
        "containerd-v2.4.2-old-plugin.deprecations.json",
        "containerd-v2.4.2-old-plugin.deprecations.txt",
    ] {
        let plain = read(&recorded(name));
        for (wrapper, wrap, _) in WRAPS.iter().filter(|(wrapper, ..)| {
            matches!(*wrapper, "docker" | "cri" | "vector" | "windows line ends")
        }) {
            let wrapped: Vec<String> = recorded_lines(name).iter().map(|line| wrap(line)).collect();
            let log = read(wrapped.join("\n").as_bytes());
            assert_eq!(log.sightings.len(), plain.sightings.len(), "{name}, {wrapper}");
        }
    }
}

#[test]
fn both_wordings_of_details_and_that_of_cri_o_say_the_same() {
    let new = read(&recorded(OLD));
    let text = String::from_utf8(recorded(OLD)).expect("UTF-8");
    let old = text.replace("implement a dedicated ", "implement ").replace(" RPC call\"", "\"");
    assert_ne!(text, old);
    assert_eq!(plugins(&read(old.as_bytes())), plugins(&new));
    let crio: String = OLD_EVENTS
        .iter()
        .map(|event| {
            format!(
                "time=\"2026-11-21 11:47:18.909751117Z\" level=warning msg=\"plugin 10-template uses deprecated StateChange instead of a dedicated {event} RPC call\" file=\"log/log.go:54\"\n\
                 time=\"2026-11-21 11:47:18.909751117Z\" level=warning msg=\"please update 10-template with a newer version of NRI for future compatibility\"\n"
            )
        })
        .collect();
    let of_crio = plugins(&read(crio.as_bytes())).remove(0);
    let of_containerd = plugins(&new).remove(0);
    assert_eq!(
        (of_crio.name, of_crio.events, of_crio.interface),
        (of_containerd.name, of_containerd.events, of_containerd.interface)
    );
    let bare = "plugin 10-template uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call";
    assert_eq!(plugins(&read(bare.as_bytes()))[0].events, ["RunPodSandbox"]);
}

#[test]
fn what_else_the_runtime_says_of_plugins_is_named() {
    let unknown = "2026-11-21T11:47:18Z";
    for (message, plugin, evidence) in [
        (
            r#"plugin \"external:05-numa[7]\" registered as \"05-numa\""#,
            "05-numa",
            "it registered; this runtime does not log",
        ),
        (r#"plugin \"05-numa\" connected and synchronized"#, "05-numa", "it connected"),
        (
            r#"failed to start external plugin: failed to configure plugin: invalid plugin events: 0x2000"#,
            "",
            "invalid plugin events: 0x2000",
        ),
        (
            r#"failed to start pre-installed NRI plugin \"numa\": invalid plugin events: 0x2000"#,
            "numa",
            "it subscribed to events that this runtime does not know, 0x2000",
        ),
        (
            r#"closing plugin 05-numa, failed to handle RunPodSandbox request: context deadline exceeded"#,
            "05-numa",
            "failed at RunPodSandbox request: timed out",
        ),
        (
            r#"closing plugin 05-numa, failed to handle event 11: ttrpc: closed"#,
            "05-numa",
            "failed at RemoveContainer request: ttrpc: closed",
        ),
        (
            r#"plugin 05-numa failed to handle StopContainer request, proceeding without it: context deadline exceeded"#,
            "05-numa",
            "timed out",
        ),
    ] {
        let line = format!("time=\"{unknown}\" level=info msg=\"{message}\"");
        let log = read(line.as_bytes());
        let [one] = log.sightings.as_slice() else { panic!("{message}: {:?}", log.sightings) };
        assert_eq!(Plugin::from(one).name, plugin, "{message}");
        assert!(matches!(one.interface, Interface::Unknown(_)), "{message}");
        let found = one.evidence.iter().any(|note| note.detail.contains(evidence));
        assert!(found, "{message}: {:?}", one.evidence);
    }
}

#[test]
fn plugins_of_v0_1_0_are_named_one_by_one() {
    let line = r#"time="2026-11-21T11:47:18Z" level=warning msg="Deprecated NRI plugin(s) clearcfs,numa: NRI 0.1.0-style plugins are deprecated since containerd 2.2 and should only be used through the v010-adapter plugin.""#;
    let log = read(line.as_bytes());
    let names: Vec<_> =
        log.sightings.iter().map(|one| (one.name.as_deref(), &one.interface)).collect();
    assert_eq!(
        names,
        [(Some("clearcfs"), &Interface::OneShot), (Some("numa"), &Interface::OneShot)]
    );
}

/// Exports that keep the message and the fields of its record apart.
#[test]
fn fields_beside_the_message_count() {
    for (name, export) in exports() {
        let log = read(export.to_string().as_bytes());
        let found = plugins(&log);
        let [one] = found.as_slice() else { panic!("{name}: {:?}", log.sightings) };
        assert_eq!((one.name.as_str(), one.count), ("10-template", 1), "{name}");
        assert_eq!(one.events, ["RunPodSandbox"], "{name}");
        assert_eq!(log.skipped, [], "{name}");
    }
}

/// Returns one warning in the exports of several systems.
fn exports() -> Vec<(&'static str, serde_json::Value)> {
    const MESSAGE: &str = "NRI plugin uses a deprecated interface.";
    const DETAILS: &str = "does not implement RunPodSandbox";
    let attribute = |name: &str, value: &str| json!({"key": name, "value": {"stringValue": value}});
    let attributes = [
        attribute("deprecated", "StateChange"),
        attribute("details", DETAILS),
        attribute("plugin", "10-template"),
    ];
    let values = [&[attribute("msg", MESSAGE)], &attributes[..]].concat();
    let fields = json!({"plugin": "10-template", "deprecated": "StateChange", "details": DETAILS});
    let record = json!({"body": {"stringValue": MESSAGE}, "attributes": attributes});
    let time = "1795261638909751117";
    vec![
        (
            "GELF",
            json!({"host": "node-1", "short_message": MESSAGE, "_plugin": "10-template",
                "_deprecated": "StateChange", "_details": DETAILS}),
        ),
        ("ECS", json!({"message": MESSAGE, "labels": fields})),
        (
            "keys with dots",
            json!({"message": MESSAGE, "labels.plugin": "10-template",
                "labels.deprecated": "StateChange", "labels.details": DETAILS}),
        ),
        (
            "ECS with the line before it was parsed",
            json!({"message": MESSAGE, "containerd": fields,
                "event": {"original": format!("msg=\"{MESSAGE}\" deprecated=StateChange details=\"{DETAILS}\" plugin=10-template")}}),
        ),
        ("OTLP with a structured body", json!({"body": {"kvlistValue": {"values": values}}})),
        ("OTLP", json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})),
        (
            "Elasticsearch",
            json!({"hits": {"hits": [{"_source": {"message": MESSAGE, "containerd": fields}}]}}),
        ),
        (
            "Stackdriver",
            json!({"jsonPayload": {"message": MESSAGE, "fields": fields}, "severity": "WARNING"}),
        ),
        (
            "Loki with labels",
            json!({"data": {"result": [{"stream": fields, "values": [[time, MESSAGE]]}]}}),
        ),
        (
            "Loki with metadata",
            json!({"data": {"result": [{"stream": {}, "values": [[time, MESSAGE, fields]]}]}}),
        ),
    ]
}

/// An export of Loki is one document on one line.
#[test]
fn a_document_of_many_megabytes_on_one_line_is_read() {
    let mut values = vec![json!(["1795261638909751117", "x".repeat(1000)]); 20_000];
    values.push(json!(["1795261638909751117", CRI_O]));
    let stream = json!({"stream": {"node_name": "node-1"}, "values": values});
    let log = read(json!({"data": {"result": [stream]}}).to_string().as_bytes());
    assert_eq!(plugins(&log)[0].name, "10-template");
    assert_eq!(log.skipped, []);
}

#[test]
fn messages_as_bytes_are_read_with_any_spacing() {
    let bytes: Vec<String> = CRI_O.bytes().map(|byte| byte.to_string()).collect();
    for (colon, comma) in [(":", ","), (" : ", ", "), (":", " ,  "), (": ", ",\t")] {
        let numbers = bytes.join(comma);
        let line = format!("{{\"_HOSTNAME\":\"node-1\",\"MESSAGE\"{colon}[{numbers}]}}");
        assert_eq!(plugins(&read(line.as_bytes()))[0].name, "10-template", "{line}");
    }
}

#[test]
fn messages_that_the_journal_dropped_are_mentioned() {
    for line in [
        "Nov 21 11:47:18 node-1 systemd-journald[1]: Suppressed 312 messages from containerd.service",
        "Nov 21 11:47:18 node-1 systemd-journald[1]: Forwarding to syslog missed 7 messages.",
        "Nov 21 11:47:18 node-1 rsyslogd: imuxsock lost 312 messages from pid 4012 due to rate-limiting",
        r#"{"MESSAGE":"Suppressed 312 messages from containerd.service","SYSLOG_IDENTIFIER":"systemd-journald"}"#,
        "Nov 21 11:47:18 node-1 rsyslogd[1]: imjournal: 312 messages lost due to rate-limiting (20000 allowed)",
    ] {
        let log = read(line.as_bytes());
        assert_eq!(log.sightings, [], "{line}");
        let [skipped] = log.skipped.as_slice() else { panic!("{line}: {:?}", log.skipped) };
        assert!(
            skipped.reason.contains("messages that the journal dropped")
                && skipped.reason.ends_with(&format!("line 1: {line}")),
            "{}",
            skipped.reason
        );
    }
    for other in [
        "Nov 21 11:47:18 node-1 app[1]: got 12 messages from the queue",
        "Nov 21 11:47:18 node-1 app[1]: Suppressed 3 messages from alice in the mailbox",
    ] {
        assert_eq!(read(other.as_bytes()).skipped, [], "{other}");
    }
}

#[test]
fn a_finding_shows_line_and_text() {
    let log = read(format!("time=\"2026-11-21T11:47:18Z\" msg=starting\n{CRI_O}\n").as_bytes());
    let one = &log.sightings[0];
    assert_eq!(one.place.line, Some(2));
    let shown = format!("line 2: {CRI_O}");
    assert!(one.evidence.iter().any(|note| note.detail == shown), "{:?}", one.evidence);
}

#[test]
fn lines_of_other_programs_about_plugins_are_none_of_ours() {
    let lines = r#"
Class com.acme.Foo does not implement com.acme.StateChangeListener
WARN StateChange is deprecated, use StateChanged instead (plugin 10-reasons-why)
{"level":"warn","msg":"deprecated StateChange","plugin":"billing","details":"does not implement Refund"}
{"plugin":"tail","deprecated":"StateChange","details":"does not implement RunPodSandbox","message":"an event of the shop"}
plugin "sso" registered as "login"
closing plugin payments, failed to handle refund request: timeout
failed to initialize plugin: out of memory
failed to start external plugin: plugin exited before we could connect
plugin "grafana" connected
time="2026-11-21T11:47:18Z" level=info msg="loading plugin \"io.containerd.nri.v1.nri\"..." type=io.containerd.nri.v1
I1121 11:47:18.000000       1 csi_plugin.go:99] kubernetes.io/csi: plugin "csi.example.com" registered
{"level":"info","msg":"plugin connected to the database"}
Nov 21 11:47:18 node-1 kubelet[1]: E1121 plugin manager failed to start external plugin
"#;
    assert_eq!(read(lines.as_bytes()).sightings, []);
}
