//! Text for people: what breaks, for whom, and what to do about it.

mod check;
#[cfg(feature = "conformance")]
mod conformance;
mod diff;
mod history;
mod layout;
mod merge;
mod palette;
#[cfg(feature = "conformance")]
mod probe;
#[cfg(feature = "conformance")]
mod replay;
mod rule;
#[cfg(feature = "conformance")]
mod statement;
mod table;
mod width;

pub use check::{CheckText, check, write_check};
#[cfg(feature = "conformance")]
pub use conformance::conformance;
pub use diff::diff;
pub use history::{runtime, runtimes, versions};
pub use merge::merge;
pub use palette::Palette;
#[cfg(feature = "conformance")]
pub use probe::probe;
#[cfg(feature = "conformance")]
pub use replay::replay;
pub use rule::{rule, rules};
#[cfg(feature = "conformance")]
pub use statement::{statement, statements};
pub use width::{Look, Width};
