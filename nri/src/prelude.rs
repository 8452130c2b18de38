//! The items that most plugins need: `use nri::prelude::*;`.

pub use crate::adjust::{Adjustment, Changes, SetResources, Updates, Verdict};
pub use crate::api::handlers::*;
pub use crate::api::{
    ConfigureRequest, Container, ContainerUpdate, Event, EventMask, LinuxResources, PodSandbox,
};
pub use crate::plugin::Connection;
pub use crate::{Context, NriPlugin};
