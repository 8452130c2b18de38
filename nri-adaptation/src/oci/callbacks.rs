//! The callbacks of the runtime.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use oci_spec::runtime::{LinuxBlockIo, LinuxIntelRdt, LinuxResources, Spec};

use crate::oci::error::{BoxError, Error, ErrorKind};
use crate::oci::propagation::Propagation;

pub(super) type Filter<'a> = dyn FnMut(&mut BTreeMap<String, String>) -> Result<(), BoxError> + 'a;
pub(super) type Cdi<'a> = dyn FnMut(&mut Spec, &[&str]) -> Result<(), BoxError> + 'a;
pub(super) type Resolver<'a, T> = dyn FnMut(&str) -> Result<T, BoxError> + 'a;
pub(super) type Check<'a> = dyn FnMut(&mut LinuxResources) -> Result<(), BoxError> + 'a;
pub(super) type Propagations<'a> = dyn FnMut(&Path) -> io::Result<Propagation> + 'a;

/// The callbacks of a generator.
#[derive(Default)]
pub(super) struct Callbacks<'a> {
    pub(super) annotation_filter: Option<Box<Filter<'a>>>,
    pub(super) sysctl_filter: Option<Box<Filter<'a>>>,
    pub(super) cdi: Option<Box<Cdi<'a>>>,
    pub(super) block_io: Option<Box<Resolver<'a, LinuxBlockIo>>>,
    pub(super) rdt: Option<Box<Resolver<'a, LinuxIntelRdt>>>,
    pub(super) resource_check: Option<Box<Check<'a>>>,
    pub(super) propagation: Option<Box<Propagations<'a>>>,
}

impl Callbacks<'_> {
    pub(super) fn filter_annotations(
        &mut self,
        annotations: &mut BTreeMap<String, String>,
    ) -> Result<(), Error> {
        let Some(filter) = &mut self.annotation_filter else {
            return Ok(());
        };
        filter(annotations).map_err(refused("annotations"))
    }

    pub(super) fn filter_sysctl(
        &mut self,
        sysctl: &mut BTreeMap<String, String>,
    ) -> Result<(), Error> {
        let Some(filter) = &mut self.sysctl_filter else {
            return Ok(());
        };
        filter(sysctl).map_err(refused("linux.sysctl"))
    }

    pub(super) fn inject_cdi(&mut self, spec: &mut Spec, names: &[&str]) -> Result<(), Error> {
        let field = "cdi_devices";
        let Some(inject) = &mut self.cdi else {
            return Err(missing(field, &names.join(", "), "with_cdi"));
        };
        inject(spec, names).map_err(refused(field))
    }

    pub(super) fn block_io(&mut self, class: &str) -> Result<LinuxBlockIo, Error> {
        let field = "linux.resources.blockio_class";
        let Some(resolve) = &mut self.block_io else {
            return Err(missing(field, class, "with_block_io"));
        };
        resolve(class).map_err(refused(field))
    }

    pub(super) fn rdt(&mut self, class: &str) -> Result<LinuxIntelRdt, Error> {
        let field = "linux.resources.rdt_class";
        let Some(resolve) = &mut self.rdt else {
            return Err(missing(field, class, "with_rdt"));
        };
        resolve(class).map_err(refused(field))
    }

    pub(super) fn check(&mut self, resources: &mut LinuxResources) -> Result<(), Error> {
        let Some(check) = &mut self.resource_check else {
            return Ok(());
        };
        check(resources).map_err(refused("linux.resources"))
    }
}

fn refused(field: &'static str) -> impl FnOnce(BoxError) -> Error {
    move |cause| Error::new(field, ErrorKind::Refused(cause))
}

fn missing(field: &str, value: &str, method: &'static str) -> Error {
    let value = value.to_owned();
    Error::new(field, ErrorKind::NoCallback { value, method })
}
