//! Sessions of Go plugins are recorded through the proxy and replayed to them.

use nri_tests::examples::example;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::recording::Recording;

#[test]
fn go_plugins_answer_a_replay_as_they_did() {
    for release in NRI_RELEASES {
        let recording = Recording::of(&peers::plugin(release), release);
        let replayed = recording.replay(&peers::plugin(release));
        let text = String::from_utf8_lossy(&replayed.stdout);
        assert_eq!(replayed.status.code(), Some(0), "{release}:\n{text}");
        assert!(text.contains(" 0 differences"), "{release}:\n{text}");
    }
}

#[test]
fn a_plugin_with_other_events_differs_from_the_recorded_one() {
    let release = "v0.12.5";
    let recording = Recording::of(&peers::plugin(release), release);
    let replayed = recording.replay(&example("device-injector"));
    let text = String::from_utf8_lossy(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(100), "{text}");
    assert!(text.contains("Configure"), "{text}");
}
