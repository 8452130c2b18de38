//! Tests of plugins.
