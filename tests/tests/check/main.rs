//! The command `check`, and its reports.

#[cfg(feature = "go")]
mod check_binaries;
mod check_formats;
mod check_hostile;
mod check_rust;
mod check_sources;
mod cluster_large;
mod hostile_binaries;
#[cfg(feature = "go")]
mod hostile_damage;
mod hostile_embedded;
#[cfg(feature = "go")]
mod hostile_go;
mod html;
mod manifest_images;
#[cfg(feature = "go")]
mod probe_compare;
mod release_folders;
#[cfg(feature = "validators")]
mod validators;
