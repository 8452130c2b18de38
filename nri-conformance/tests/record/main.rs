//! Recording and replaying, with `nri::adaptation` as the runtime.

mod replays;
mod support;
