//! The inputs of `diff`, and its errors.

mod errors;
mod inputs;
mod layouts;
