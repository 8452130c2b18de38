//! The items that most plugins need: `use nri::prelude::*;`.

pub use crate::adjust::{Adjustment, SetResources, Updates, Verdict};
pub use crate::api::{Container, ContainerUpdate, Event, EventMask, LinuxResources, PodSandbox};
pub use crate::plugin::handlers::*;
pub use crate::plugin::{Config, Connection, Subscription};
pub use crate::{EventContext, NriPlugin};
