//! Recording and replaying, with `nri-adaptation` as the runtime.

mod by_hand;
mod formats;
#[cfg(feature = "runtime")]
mod judged;
mod observers;
mod proxies;
mod replay_answers;
mod replay_failures;
mod replays;
mod support;
