//! The callbacks of the runtime.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use oci_spec::runtime::{LinuxBlockIo, LinuxIntelRdt, LinuxResources, Spec};

use crate::oci::error::{BoxError, Error, ErrorKind, Propagation};

pub(super) type Filter<'a> = dyn FnMut(&mut BTreeMap<String, String>) -> Result<(), BoxError> + 'a;
pub(super) type Cdi<'a> = dyn FnMut(&mut Spec, &[&str]) -> Result<(), BoxError> + 'a;
pub(super) type Resolver<'a, T> = dyn FnMut(&str) -> Result<T, BoxError> + 'a;
pub(super) type Check<'a> = dyn FnMut(&mut LinuxResources) -> Result<(), BoxError> + 'a;
pub(super) type Propagations<'a> = dyn FnMut(&Path) -> io::Result<Propagation> + 'a;

/// The callbacks of a generator.
pub(super) struct Callbacks<'a> {
    pub(super) annotation_filter: Box<Filter<'a>>,
    pub(super) sysctl_filter: Box<Filter<'a>>,
    pub(super) cdi: Option<Box<Cdi<'a>>>,
    pub(super) block_io: Option<Box<Resolver<'a, LinuxBlockIo>>>,
    pub(super) rdt: Option<Box<Resolver<'a, LinuxIntelRdt>>>,
    pub(super) resource_check: Box<Check<'a>>,
    pub(super) propagation: Box<Propagations<'a>>,
}

/// Resolves a class. Returns `None` for the empty class, which clears the settings.
pub(super) fn resolve<T>(
    callback: &mut Option<Box<Resolver<'_, T>>>,
    class: &str,
    field: &'static str,
    method: &'static str,
) -> Result<Option<T>, Error> {
    if class.is_empty() {
        return Ok(None);
    }
    let resolve = callback.as_mut().ok_or_else(|| missing(field, class, method))?;
    resolve(class).map(Some).map_err(refused(field))
}

/// Returns the conversion for the error of a callback.
pub(super) fn refused(field: &'static str) -> impl FnOnce(BoxError) -> Error {
    move |cause| Error::new(field, ErrorKind::Refused(cause))
}

/// Returns the error for a callback that is needed and not set.
pub(super) fn missing(field: &str, value: &str, method: &'static str) -> Error {
    let value = value.to_owned();
    Error::new(field, ErrorKind::NoCallback { value, method })
}
