//! Text for people: a screenful with what breaks, for whom, and what to do.

mod check;
mod diff;
mod history;
mod layout;
mod merge;
mod palette;
mod rule;
mod table;
mod width;

pub use check::{CheckText, check, write_check};
pub use diff::diff;
pub use history::{runtime, runtimes, versions};
pub(crate) use layout::counted;
pub use merge::merge;
pub use palette::Palette;
pub use rule::{rule, rules};
pub use width::{Look, Width};
