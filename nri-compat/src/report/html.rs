//! HTML for browsers: one self-contained file per report, which loads nothing and also works without
//! its script.
//!
//! The pages are templates in `templates/`, compiled into the crate. They escape every value, and
//! control characters in reports are already escaped (see [`visible`](super::visible())).

mod check;
#[cfg(feature = "conformance")]
mod conformance;
mod diff;
mod history;
mod merge;
mod page;
#[cfg(feature = "conformance")]
mod probe;
mod target;
mod verdict;

pub use check::{check, write_check};
#[cfg(feature = "conformance")]
pub use conformance::conformance;
pub use diff::{diff, write_diff};
pub use history::{runtime, runtimes, versions};
pub use merge::{merge, write_merge};
#[cfg(feature = "conformance")]
pub use probe::probe;
