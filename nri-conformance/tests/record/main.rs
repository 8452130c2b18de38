//! Recording and replaying, with `nri::adaptation` as the runtime.

mod formats;
mod observers;
mod proxies;
mod replays;
mod support;
