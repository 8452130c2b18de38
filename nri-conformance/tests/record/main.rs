//! Recording and replaying, with `nri::adaptation` as the runtime.

mod formats;
mod proxies;
mod replays;
mod support;
