//! Replays to plugins in this process.

use nri_conformance::record::Options;
use nri_conformance::record::replay::DifferenceKind;

use crate::support::{Marker, recorded};

#[tokio::test]
async fn the_same_plugin_gives_the_same_answers() {
    for release in ["v0.8.0", "v0.11.0", "v0.12.5"] {
        let (_folder, file) = recorded(release, Marker("a"), Options::default()).await;
        let replayed = nri_conformance::replay(&file, Marker("a"))
            .run()
            .await
            .unwrap();
        replayed.assert();
        assert_eq!(replayed.requests, 5, "{release}: {replayed:?}");
        assert_eq!(replayed.compared, 5);
        assert_eq!(replayed.plugin, "10-marker");
    }
}

#[tokio::test]
async fn a_planted_difference_is_found() {
    let mut options = Options::default();
    options.redact = false;
    let (_folder, file) = recorded("v0.12.5", Marker("a"), options).await;
    let replayed = nri_conformance::replay(&file, Marker("b"))
        .run()
        .await
        .unwrap();
    let found: Vec<_> = replayed.differences.iter().map(|d| d.to_string()).collect();
    assert_eq!(
        found,
        [
            r#"request 4, CreateContainer of default/web/server: adjust.annotations[marked-by]: recorded "a", got "b""#,
            r#"request 4, CreateContainer of default/web/server: adjust.env[MARK].value: recorded "a", got "b""#,
        ]
    );
    assert!(matches!(
        replayed.differences[0].kind,
        DifferenceKind::Field { .. }
    ));
}
