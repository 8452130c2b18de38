//! The command `check`, and its reports.

#[cfg(feature = "go")]
mod bridge;
mod check_formats;
mod check_hostile;
#[cfg(feature = "slow-tests")]
mod check_rust;
mod check_sources;
#[cfg(feature = "cluster")]
mod cluster_large;
mod hostile_binaries;
mod hostile_embedded;
#[cfg(feature = "go")]
mod hostile_go;
mod html;
mod manifest_images;
#[cfg(feature = "slow-tests")]
mod release_folders;
#[cfg(feature = "validators")]
mod validators;
