//! Pods and containers, adaptations and plugins that the tests share.

use std::time::Duration;

use nri::adaptation::{Adaptation, Builder, Outcome};
use nri::api::{Container, PodSandbox};

/// A request timeout that a test can wait for.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

pub(crate) fn builder() -> Builder {
    Adaptation::builder("test-runtime", "v1.2.3")
}

pub(crate) async fn adaptation() -> Adaptation {
    builder().start().await.expect("starts")
}

pub(crate) fn pod(id: &str) -> PodSandbox {
    PodSandbox {
        id: id.to_owned(),
        name: format!("{id}-name"),
        namespace: "default".to_owned(),
        ..PodSandbox::default()
    }
}

pub(crate) fn container(id: &str) -> Container {
    Container {
        id: id.to_owned(),
        name: format!("{id}-name"),
        ..Container::default()
    }
}

/// Outcomes as `10-name result`.
pub(crate) fn shown(outcomes: &[Outcome]) -> Vec<String> {
    let shown = |it: &Outcome| format!("{} {}", it.plugin, it.result);
    outcomes.iter().map(shown).collect()
}
