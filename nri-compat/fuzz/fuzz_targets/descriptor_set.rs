//! Reads any bytes as two descriptor sets and compares them, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nri_compat::diff::{Schema, breaking};

fuzz_target!(|input: (&[u8], &[u8])| {
    let (Ok(from), Ok(to)) = (Schema::decode(input.0), Schema::decode(input.1)) else {
        return;
    };
    assert!(breaking(&from, &from, &[]).is_empty());
    for finding in breaking(&from, &to, &[]) {
        assert!(!finding.message.is_empty());
    }
});
