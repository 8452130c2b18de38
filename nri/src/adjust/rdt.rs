//! Resource Director Technology: cache and memory bandwidth of a container.

use crate::adjust::Adjustment;
use crate::api::{LinuxRdt, OptionalRepeatedString};

impl Adjustment {
    /// Puts the container into this class of service.
    #[must_use]
    pub fn rdt_clos(mut self, id: impl Into<String>) -> Self {
        self.rdt().clos_id = Some(id.into().into());
        self
    }

    /// Sets the schemata of the container's class of service, one per line, such as `L3:0=ff`.
    #[must_use]
    pub fn rdt_schemata<S: Into<String>>(mut self, lines: impl IntoIterator<Item = S>) -> Self {
        let value = lines.into_iter().map(Into::into).collect();
        self.rdt().schemata = Some(OptionalRepeatedString { value });
        self
    }

    /// Turns monitoring of the container's cache and memory bandwidth on or off.
    #[must_use]
    pub fn rdt_monitoring(mut self, enable: bool) -> Self {
        self.rdt().enable_monitoring = Some(enable.into());
        self
    }

    /// Removes the settings of the container and of earlier plugins. Settings of this adjustment
    /// stay.
    #[must_use]
    pub fn remove_rdt(mut self) -> Self {
        self.rdt().remove = true;
        self
    }

    fn rdt(&mut self) -> &mut LinuxRdt {
        self.linux().rdt.get_or_insert_default()
    }
}
