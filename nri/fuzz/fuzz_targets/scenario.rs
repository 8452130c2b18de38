//! Any text is a scenario of the example runtime or an error, and what is accepted can be sent.
#![no_main]
#![allow(dead_code, reason = "only a part of the example is used")]

#[path = "../../examples/runtime/error.rs"]
mod error;
#[path = "../../examples/runtime/event.rs"]
mod event;
#[path = "../../examples/runtime/scenario.rs"]
mod scenario;

use libfuzzer_sys::fuzz_target;
use nri::adaptation::Adaptation;
use scenario::Scenario;

/// The most steps that are sent: the text is what is tested.
const SENT: usize = 8;

fuzz_target!(|text: &str| {
    match Scenario::parse(text) {
        Ok(scenario) => send(&scenario),
        Err(error) => assert!(!error.is_empty()),
    }
});

/// Sends the first steps to nobody.
fn send(scenario: &Scenario) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("runtime");
    runtime.block_on(async {
        let adaptation = Adaptation::builder("fuzz", "v1").start().await;
        let adaptation = adaptation.expect("starts");
        for request in scenario.steps.iter().take(SENT) {
            let sent = event::send(&adaptation, request).await;
            assert!(sent.is_ok(), "there is no plugin that could refuse");
        }
        adaptation.stop().await;
    });
}
