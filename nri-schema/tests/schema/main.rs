//! The history and its sources.

mod history;
mod source;
