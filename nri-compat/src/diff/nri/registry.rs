//! The function that reports each rule of NRI.

use super::{Context, Sink};
use super::{enums, events, fields, mask, rpcs, services, state_change, synchronize, wasm};
use crate::rules::table::nri_rules;

/// A function that looks at both sides and reports its findings.
pub(super) type Run = fn(&Context<'_>, &mut Sink);

macro_rules! checks {
    ($($id:literal => $run:expr,)*) => {
        /// The rules of NRI, each with the function that reports it.
        static RULES: &[(&str, Run)] = &[$(($id, $run)),*];
    };
}

nri_rules!(checks);

/// Returns the number of rules.
pub(in crate::diff) fn count() -> usize {
    RULES.len()
}

/// Returns each function once: several rules can share one.
pub(super) fn functions() -> Vec<Run> {
    let mut functions: Vec<Run> = Vec::new();
    for (_, run) in RULES {
        let mut known = functions.iter();
        if !known.any(|known| std::ptr::fn_addr_eq(*known, *run)) {
            functions.push(*run);
        }
    }
    functions
}
