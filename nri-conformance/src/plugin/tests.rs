//! The tests, by subject. Each returns early with the verdict that ended it.

pub(super) mod answers;
pub(super) mod configuration;
pub(super) mod cutting;
pub(super) mod ending;
pub(super) mod events;
pub(super) mod leaks;
pub(super) mod lifecycle;
pub(super) mod load;
pub(super) mod misbehaving;
pub(super) mod registration;
pub(super) mod synchronize;
pub(super) mod tolerance;
