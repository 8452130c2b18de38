//! Any bytes as a Go program: read or refused, alike from memory and in pieces.
#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_binary::GoBinary;

fuzz_target!(|bytes: &[u8]| pieces::read(&GoBinary, bytes));
