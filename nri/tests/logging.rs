//! The logger of `nri::logging`, with a file as its target.

use nri::logging::{Target, init};
use tracing::Level;

#[test]
fn events_go_to_the_target_that_was_chosen_last() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    init(Level::INFO, Target::File(first.clone())).unwrap();
    tracing::info!(pod = "default/web", "one");
    tracing::debug!("not this");
    init(Level::DEBUG, Target::File(second.clone())).unwrap();
    tracing::debug!("two");
    let first = std::fs::read_to_string(first).unwrap();
    assert!(
        first.ends_with("Z  INFO one pod=\"default/web\"\n"),
        "{first}"
    );
    assert_eq!(first.lines().count(), 1, "{first}");
    let second = std::fs::read_to_string(second).unwrap();
    assert!(second.ends_with("Z DEBUG two\n"), "{second}");
    let error = init(Level::INFO, Target::File(folder.path().to_owned())).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot open the log file "),
        "{error}"
    );
}
