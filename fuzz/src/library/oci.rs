//! Any adjustment applied to any spec gives a spec that can be written and read, or an error that
//! leaves the spec as it was.
//!
//! The input is the JSON of a spec, a zero byte, and an encoded adjustment.

use nri::api::ContainerAdjustment;
use nri::codec::Message as _;
use nri_adaptation::oci::{Generator, Propagation, from_value, to_value};

/// Runs the target once.
pub(crate) fn run(input: &[u8]) {
    let mut parts = input.splitn(2, |byte| *byte == 0);
    let spec = parts.next().unwrap_or_default();
    let adjustment = parts.next().unwrap_or_default();
    if let (Ok(spec), Ok(adjustment)) =
        (serde_json::from_slice(spec), ContainerAdjustment::decode(adjustment))
    {
        apply(spec, &adjustment);
        _ = nri::adjust::Adjustment::from(adjustment).check();
    }
}

fn apply(spec: serde_json::Value, adjustment: &ContainerAdjustment) {
    let Ok(mut spec) = from_value(spec) else {
        return;
    };
    let before = spec.clone();
    let applied = Generator::new(&mut spec)
        .with_cdi(|_, _| Ok(()))
        .with_block_io(|_| Ok(Default::default()))
        .with_rdt(|_| Ok(Default::default()))
        .with_mount_propagation(|_| Ok(Propagation::Slave))
        .apply(adjustment);
    if applied.is_err() {
        assert!(spec == before, "an adjustment that fails changes nothing");
    }
    let written = to_value(&spec).expect("JSON has no paths but UTF-8");
    let read = from_value(written.clone()).expect("what is written can be read");
    assert_eq!(to_value(&read).expect("as before"), written);
}
