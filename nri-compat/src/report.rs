//! The findings of the tool as plain data, and one renderer per format.
//!
//! The types in [`mod@check`], [`mod@diff`], [`pairing`] and [`history`] know nothing of formats; the renderers in
//! [`text`], [`json`], [`markdown`], [`csv`], [`github`], [`junit`], [`sarif`] and [`openmetrics`] are pure functions
//! from them to text.

pub mod check;
pub mod csv;
pub mod diff;
pub mod finding;
pub mod fingerprint;
pub mod github;
pub mod group;
pub mod history;
mod issue;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod merge;
pub mod openmetrics;
pub mod pairing;
pub mod sarif;
pub mod text;
pub(crate) mod visible;

pub use visible::visible;
