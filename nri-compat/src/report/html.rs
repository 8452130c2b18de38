//! HTML for browsers: one self-contained file per report, which loads nothing and works without
//! its script.
//!
//! The pages are templates in `templates/`, compiled into the crate. They escape every value, and
//! the reports that they show have no characters that act (see [`visible`](super::visible())).

mod check;
mod page;
mod verdict;

pub use check::{check, write_check};
