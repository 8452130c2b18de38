//! Removes empty parts of answers, so that two answers with the same meaning are equal.

use crate::adjust::Adjustment;
use crate::api::{
    ContainerAdjustment, ContainerUpdate, Hooks, LinuxContainerAdjustment, LinuxRdt, LinuxResources,
};

impl Adjustment {
    /// Returns true if the answer changes, updates and evicts nothing.
    ///
    /// ```
    /// use nri::adjust::{Adjustment, SetResources};
    /// use nri::api::LinuxResources;
    ///
    /// assert!(Adjustment::new().resources(LinuxResources::default()).is_empty());
    /// assert!(!Adjustment::new().memory_limit(0).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        let stripped = self.adjust.clone().strip();
        stripped == ContainerAdjustment::default()
            && self.update.is_empty()
            && self.evict.is_empty()
    }
}

impl ContainerAdjustment {
    /// Removes empty parts: hooks, Linux part, resources, memory, CPU, RDT.
    ///
    /// Keeps parts whose presence has a meaning, such as a memory policy with the default mode. The
    /// Go API's `Strip` removes those too.
    #[must_use]
    pub fn strip(mut self) -> Self {
        self.hooks = self.hooks.filter(|hooks| *hooks != Hooks::default());
        self.linux = self
            .linux
            .map(strip_linux)
            .filter(|linux| *linux != LinuxContainerAdjustment::default());
        self
    }
}

impl ContainerUpdate {
    /// Removes empty parts: Linux part, resources, memory, CPU.
    #[must_use]
    pub fn strip(mut self) -> Self {
        let resources = self
            .linux
            .take()
            .and_then(|linux| linux.resources)
            .map(LinuxResources::strip);
        if let Some(resources) =
            resources.filter(|resources| *resources != LinuxResources::default())
        {
            self.linux.get_or_insert_default().resources = Some(resources);
        }
        self
    }
}

impl LinuxResources {
    /// Removes empty memory and CPU parts.
    #[must_use]
    pub fn strip(mut self) -> Self {
        self.memory = self.memory.filter(|memory| *memory != Default::default());
        self.cpu = self.cpu.filter(|cpu| *cpu != Default::default());
        self
    }
}

fn strip_linux(mut linux: LinuxContainerAdjustment) -> LinuxContainerAdjustment {
    let resources = linux.resources.map(LinuxResources::strip);
    linux.resources = resources.filter(|resources| *resources != LinuxResources::default());
    linux.rdt = linux.rdt.filter(|rdt| *rdt != LinuxRdt::default());
    linux
}
