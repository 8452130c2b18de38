//! Image registries that fail, lie and delay, and the ways to them: none of it makes an image look
//! checked, and credentials reach nobody else.

mod answers;
mod credentials;
mod packings;
mod routes;

const PLUGIN: &str = "opt/nri/plugins/10-a";
