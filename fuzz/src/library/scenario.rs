//! Any text is a scenario of the example runtime or an error, and what is accepted can be sent.

use nri_adaptation::Adaptation;

use crate::scenario::Scenario;

/// The maximum number of steps that are sent, because the text is under test, not the sending.
const SENT: usize = 8;

/// Runs the target once.
pub(crate) fn run(text: &str) {
    match Scenario::parse(text) {
        Ok(scenario) => send(&scenario),
        Err(error) => assert!(!error.is_empty()),
    }
}

/// Sends the first steps to nobody.
fn send(scenario: &Scenario) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("runtime");
    runtime.block_on(async {
        let adaptation = Adaptation::builder("fuzz", "v1").start().await.expect("starts");
        for request in scenario.steps.iter().take(SENT) {
            let sent = crate::event::send(&adaptation, request).await;
            assert!(sent.is_ok(), "there is no plugin that could refuse");
        }
        adaptation.stop().await;
    });
}
