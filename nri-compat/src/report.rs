//! What the tool found, as plain data; renderers live in the modules below.

pub mod finding;
