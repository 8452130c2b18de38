//! The generator: a spec, the runtime's callbacks, and the order in which an adjustment is applied.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use oci_spec::runtime::{LinuxBlockIo, LinuxIntelRdt, LinuxResources, Spec};

use crate::oci::callbacks::{Callbacks, missing, refused};
use crate::oci::error::{BoxError, Error, Propagation};
use crate::oci::{devices, linux, mounts, process, resources, seccomp};
use nri::api::{CdiDevice, ContainerAdjustment, ContainerUpdate, LinuxContainerAdjustment};

/// Applies adjustments to a spec, with callbacks for what only the runtime can resolve or check.
///
/// ```
/// use nri::adjust::{Adjustment, SetResources};
/// use nri_adaptation::oci::Generator;
/// use nri_adaptation::oci::runtime::{LinuxBlockIoBuilder, Spec};
///
/// let adjustment = Adjustment::new().cdi_device("vendor.com/nic=nic0").blockio_class("slow");
/// let mut spec = Spec::default();
/// Generator::new(&mut spec)
///     .with_cdi(|_spec, names| {
///         assert_eq!(names, ["vendor.com/nic=nic0"]);
///         Ok(())
///     })
///     .with_block_io(|_class| Ok(LinuxBlockIoBuilder::default().weight(10_u16).build()?))
///     .apply(adjustment.container())?;
///
/// let resources = spec.linux().as_ref().unwrap().resources().as_ref().unwrap();
/// assert_eq!(resources.block_io().as_ref().unwrap().weight(), Some(10));
/// # Ok::<(), nri_adaptation::oci::Error>(())
/// ```
pub struct Generator<'a> {
    spec: &'a mut Spec,
    callbacks: Callbacks<'a>,
}

impl<'a> Generator<'a> {
    /// Returns a generator for a spec, without callbacks.
    pub fn new(spec: &'a mut Spec) -> Self {
        let callbacks = Callbacks {
            annotation_filter: Box::new(|_| Ok(())),
            sysctl_filter: Box::new(|_| Ok(())),
            cdi: None,
            block_io: None,
            rdt: None,
            resource_check: Box::new(|_| Ok(())),
            propagation: Box::new(mounts::mount_propagation),
        };
        Generator { spec, callbacks }
    }

    /// Sets a callback that may change or reject the annotations of an adjustment before they are
    /// applied.
    ///
    /// Keys may have the [removal marker](nri::adjust::marker).
    #[must_use]
    pub fn with_annotation_filter(
        mut self,
        filter: impl FnMut(&mut BTreeMap<String, String>) -> Result<(), BoxError> + 'a,
    ) -> Self {
        self.callbacks.annotation_filter = Box::new(filter);
        self
    }

    /// Sets a callback that may change or reject the sysctls of an adjustment before they are
    /// applied.
    ///
    /// Keys may have the [removal marker](nri::adjust::marker).
    #[must_use]
    pub fn with_sysctl_filter(
        mut self,
        filter: impl FnMut(&mut BTreeMap<String, String>) -> Result<(), BoxError> + 'a,
    ) -> Self {
        self.callbacks.sysctl_filter = Box::new(filter);
        self
    }

    /// Sets the callback that injects CDI devices into the spec. It receives their qualified names.
    ///
    /// When it is called, the annotations, environment, arguments and hooks of the adjustment have
    /// been applied, and nothing else.
    #[must_use]
    pub fn with_cdi(
        mut self,
        inject: impl FnMut(&mut Spec, &[&str]) -> Result<(), BoxError> + 'a,
    ) -> Self {
        self.callbacks.cdi = Some(Box::new(inject));
        self
    }

    /// Sets the callback that resolves a block I/O class. It is not called for the empty class,
    /// which clears the settings.
    #[must_use]
    pub fn with_block_io(
        mut self,
        resolve: impl FnMut(&str) -> Result<LinuxBlockIo, BoxError> + 'a,
    ) -> Self {
        self.callbacks.block_io = Some(Box::new(resolve));
        self
    }

    /// Sets the callback that resolves an RDT class. It is not called for the empty class, which
    /// clears the settings.
    #[must_use]
    pub fn with_rdt(
        mut self,
        resolve: impl FnMut(&str) -> Result<LinuxIntelRdt, BoxError> + 'a,
    ) -> Self {
        self.callbacks.rdt = Some(Box::new(resolve));
        self
    }

    /// Sets a callback that may change or reject the adjusted resources of the spec. It is called
    /// before classes are resolved.
    #[must_use]
    pub fn with_resource_check(
        mut self,
        check: impl FnMut(&mut LinuxResources) -> Result<(), BoxError> + 'a,
    ) -> Self {
        self.callbacks.resource_check = Box::new(check);
        self
    }

    /// Sets the callback that determines the propagation of the mount that contains a path.
    ///
    /// It is called for mounts with the option `rshared` or `rslave`. The default is
    /// [`mount_propagation`](crate::oci::mount_propagation), which reads the mounts of this
    /// process.
    #[must_use]
    pub fn with_mount_propagation(
        mut self,
        propagation: impl FnMut(&Path) -> io::Result<Propagation> + 'a,
    ) -> Self {
        self.callbacks.propagation = Box::new(propagation);
        self
    }

    /// Applies an adjustment. If there is an error, the spec is unchanged.
    ///
    /// # Errors
    ///
    /// If the runtime specification or the `oci-spec` crate cannot represent a value, if a callback
    /// is needed but not set, if a callback fails, or if the source of a mount does not propagate
    /// as its options require.
    pub fn apply(&mut self, adjustment: &ContainerAdjustment) -> Result<(), Error> {
        let mut spec = self.spec.clone();
        adjust(&mut spec, adjustment, &mut self.callbacks)?;
        *self.spec = spec;
        Ok(())
    }

    /// Applies the resources of an update in the same way as those of an adjustment.
    ///
    /// The container id and `ignore_failure` are not used: they are for the runtime to handle.
    ///
    /// # Errors
    ///
    /// The errors of [`apply`](Self::apply).
    pub fn apply_update(&mut self, update: &ContainerUpdate) -> Result<(), Error> {
        let Some(asked) = update.linux.as_ref().and_then(|linux| linux.resources.as_ref()) else {
            return Ok(());
        };
        let mut spec = self.spec.clone();
        resources::apply(&mut spec, asked, &mut self.callbacks)?;
        *self.spec = spec;
        Ok(())
    }
}

/// Applies all parts in the same order as the reference. A test changes each field of the protocol
/// and expects another spec. Callbacks see the spec in between, and the first of several errors is
/// returned.
fn adjust(
    spec: &mut Spec,
    asked: &ContainerAdjustment,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    linux::annotations(spec, &asked.annotations, callbacks)?;
    process::environment(spec, &asked.env)?;
    process::args(spec, &asked.args);
    if let Some(hooks) = &asked.hooks {
        process::hooks(spec, hooks);
    }
    cdi(spec, &asked.cdi_devices, callbacks)?;
    // The filter for sysctls is called even if there is no Linux part.
    let none = LinuxContainerAdjustment::default();
    adjust_linux(spec, asked.linux.as_ref().unwrap_or(&none), callbacks)?;
    mounts::apply(spec, &asked.mounts, callbacks)?;
    process::rlimits(spec, &asked.rlimits)
}

fn adjust_linux(
    spec: &mut Spec,
    asked: &LinuxContainerAdjustment,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    devices::apply(spec, &asked.devices)?;
    resources::cgroups_path(spec, &asked.cgroups_path);
    process::oom_score(spec, asked.oom_score_adj)?;
    process::io_priority(spec, asked.io_priority.as_ref())?;
    process::scheduler(spec, asked.scheduler.as_ref())?;
    seccomp::apply(spec, asked.seccomp_policy.as_ref())?;
    linux::namespaces(spec, &asked.namespaces)?;
    linux::sysctl(spec, &asked.sysctl, callbacks)?;
    linux::net_devices(spec, &asked.net_devices);
    linux::memory_policy(spec, asked.memory_policy.as_ref())?;
    if let Some(resources) = &asked.resources {
        resources::apply(spec, resources, callbacks)?;
    }
    linux::rdt(spec, asked.rdt.as_ref());
    Ok(())
}

fn cdi(spec: &mut Spec, devices: &[CdiDevice], callbacks: &mut Callbacks<'_>) -> Result<(), Error> {
    if devices.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = devices.iter().map(|CdiDevice { name }| name.as_str()).collect();
    let field = "cdi_devices";
    match &mut callbacks.cdi {
        Some(inject) => inject(spec, &names).map_err(refused(field)),
        None => Err(missing(field, &names.join(", "), "with_cdi")),
    }
}
