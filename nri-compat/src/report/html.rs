//! HTML for browsers: one self-contained file per report, which loads nothing and also works without
//! its script.
//!
//! The pages are templates in `templates/`, compiled into the crate. They escape every value, and
//! control characters in reports are already escaped (see [`visible`](super::visible())).

mod check;
mod diff;
mod merge;
mod page;
mod target;
mod verdict;

pub use check::{check, write_check};
pub use diff::{diff, write_diff};
pub use merge::{merge, write_merge};
