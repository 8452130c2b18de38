//! What the tool found, as plain data, and one renderer a format.
//!
//! The types in [`diff`], [`pairing`] and [`history`] know nothing of formats; the renderers in [`text`], [`json`]
//! and [`markdown`] are pure functions from them to text.

pub mod check;
pub mod diff;
pub mod finding;
pub mod group;
pub mod history;
pub mod json;
pub mod markdown;
pub mod pairing;
pub mod text;
mod visible;

pub use visible::visible;
