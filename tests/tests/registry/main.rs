//! Images by reference.

#[cfg(feature = "registry")]
mod distribution;
mod faithful;
mod hostile;
