//! Parses any text as a time of `logs --since`, without a panic. An error quotes the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nri_compat::check::logs::parse_time;

fuzz_target!(|text: &str| {
    if let Err(error) = parse_time(text) {
        assert!(error.contains(text));
    }
});
