//! `check`: what it finds in folders, archives, images, sources and manifests and on machines, and
//! its reports.

mod archives;
mod charts;
mod collect;
mod common;
mod every;
mod images;
mod layers;
mod lines;
mod machine;
mod manifest_shapes;
mod manifests;
mod policy;
mod sources;
mod terminal;
