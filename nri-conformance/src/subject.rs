//! The plugin under test: how an instance of it is started, and ended.
