//! Requests on their way to the handlers of a plugin, without a runtime.

mod answers;
mod common;
mod connection;
mod requests;
