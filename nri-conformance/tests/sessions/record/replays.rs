//! Replays of recorded sessions: the same plugin gives the same answers, and a difference is found
//! and named.

use nri::prelude::*;
use nri_conformance::record::replay::Replay;
use nri_conformance::record::{ErrorKind, Options};

use super::support::{Marker, Recording, Runtime, container, plugin_at, pod, recorded, run, texts};

fn open() -> Options {
    let mut options = Options::default();
    options.redact = false;
    options
}

#[tokio::test]
async fn the_same_plugin_gives_the_same_answers() {
    for release in ["v0.8.0", "v0.11.0", "v0.12.5"] {
        let (_folder, file) = recorded(release, Marker("a"), Options::default()).await;
        let replay = nri_conformance::replay(&file, Marker("a"));
        let replayed = replay.run().await.unwrap();
        replayed.assert();
        assert_eq!(replayed.requests, 5, "{release}: {replayed:?}");
        assert_eq!(replayed.compared, 5);
        assert_eq!(replayed.plugin, "10-marker");
        assert_eq!(replayed.recorded_plugin, "10-marker");
    }
}

#[tokio::test]
async fn a_planted_difference_is_found() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), open()).await;
    let replay = nri_conformance::replay(&file, Marker("b"));
    let replayed = replay.run().await.unwrap();
    let prefix = "request 4, CreateContainer of default/web/server: adjust";
    let expected = [
        format!(r#"{prefix}.annotations[marked-by]: recorded "a", got "b""#),
        format!(r#"{prefix}.env[MARK].value: recorded "a", got "b""#),
    ];
    assert_eq!(texts(&replayed), expected);

    let failed = std::thread::spawn(move || nri_conformance::replay(&file, Marker("b")).assert());
    let panic = failed.join().unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert_eq!(*message, format!("2 differences in 5 requests:\n{}", expected.join("\n")));
}

#[tokio::test]
async fn redacted_values_are_not_compared_but_their_names_are() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), Options::default()).await;
    nri_conformance::replay(&file, Marker("b")).assert();

    let replayed = nri_conformance::replay(&file, Reversed).run().await.unwrap();
    assert!(replayed.redacted, "differences may come from redacted requests");
    let found = texts(&replayed).join("\n");
    assert!(found.contains("events"), "{found}");
    assert!(found.contains("annotations[marked-by]: recorded \"<redacted>\", got absent"));
    assert!(!found.contains("env"), "the order of variables is compared: {found}");
    // It does not subscribe to the events of the pod.
    assert_eq!(replayed.skipped.unsubscribed, 2);
}

/// Sets the variables of `Marker` in another order, and nothing else.
#[derive(NriPlugin)]
#[nri(name = "reversed", index = "20")]
struct Reversed;

impl CreateContainer for Reversed {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new().env("MARKS", "1").env("MARK", "c"))
    }
}

#[tokio::test]
async fn nothing_is_sent_from_a_damaged_recording() {
    let (_folder, file) = recorded("v0.12.5", Marker("a"), Options::default()).await;
    let bytes = std::fs::read(&file).unwrap();
    for (end, kind) in [
        (bytes.len() - 1, ErrorKind::Truncated),
        (bytes.len() / 2, ErrorKind::Truncated),
        (3, ErrorKind::Truncated),
        (0, ErrorKind::Truncated),
    ] {
        std::fs::write(&file, &bytes[..end]).unwrap();
        let (ours, theirs) = tokio::io::duplex(64);
        let replay = Replay::new(&file, plugin_at(ours));
        let error = replay.run().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.file(), Some(&*file));
        drop(theirs);
    }
}

#[tokio::test]
async fn one_of_several_connections_has_to_be_chosen() {
    let runtime = Runtime::start("v0.12.5").await;
    let recording = Recording::start(&runtime, open());
    let plugins = [run(Marker("a"), &recording.socket), run(Reversed, &recording.socket)];
    runtime.plugins(2).await;
    // Both set the same variable, which the adaptation refuses.
    let _ = runtime.adaptation.create_container(&pod("web"), &container("web")).await;
    let (file, _) = recording.finish().await;
    plugins.iter().for_each(|plugin| plugin.abort());

    let error = nri_conformance::replay(&file, Marker("a")).run().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Selection);
    let help = error.help().unwrap();
    assert!(help.contains("(10-marker, 3 requests)"), "{help}");
    assert!(help.contains("(20-reversed, 3 requests)"), "{help}");

    let marker = if help.contains("1 (10-marker") { 1 } else { 2 };
    let replay = nri_conformance::replay(&file, Marker("a")).connection(marker);
    let replayed = replay.run().await.unwrap();
    replayed.assert();
    assert_eq!(replayed.recorded_plugin, "10-marker");
    let missing = nri_conformance::replay(&file, Marker("a")).connection(3);
    assert_eq!(missing.run().await.unwrap_err().kind(), ErrorKind::Selection);
}
