//! Access to parts of a spec, which are created if they are missing, and conversions of values to
//! types of the crate.
//!
//! A new part is empty. The defaults of the `oci-spec` crate are not used: they have namespaces,
//! masked paths, limits and capabilities.

use std::str::FromStr;

use oci_spec::OciSpecError;
use oci_spec::runtime::{Linux, LinuxResources, Process, Spec};

use crate::oci::error::{Error, ErrorKind};

pub(super) fn linux(spec: &mut Spec) -> &mut Linux {
    spec.linux_mut().get_or_insert_with(empty_linux)
}

pub(super) fn process(spec: &mut Spec) -> &mut Process {
    spec.process_mut().get_or_insert_with(empty_process)
}

pub(super) fn resources(spec: &mut Spec) -> &mut LinuxResources {
    linux(spec).resources_mut().get_or_insert_default()
}

fn empty_linux() -> Linux {
    let mut linux = Linux::default();
    linux.set_resources(None).set_namespaces(None).set_masked_paths(None).set_readonly_paths(None);
    linux
}

fn empty_process() -> Process {
    let mut process = Process::default();
    process
        .set_terminal(None)
        .set_args(None)
        .set_env(None)
        .set_cwd(Default::default())
        .set_no_new_privileges(None)
        .set_capabilities(None)
        .set_rlimits(None);
    process
}

/// Parses a name. `expected` describes the kind of name, with its article.
pub(super) fn parse<T: FromStr>(
    value: &str,
    expected: &'static str,
    field: impl FnOnce() -> String,
) -> Result<T, Error> {
    value.parse().map_err(|_| {
        let value = value.to_owned();
        Error::new(field(), ErrorKind::UnknownName { value, expected })
    })
}

/// Converts a number of a protocol enum to the value of the crate that has the same name.
pub(super) fn named<P: TryFrom<i32>, T: FromStr>(
    value: i32,
    name: impl FnOnce(&P) -> &'static str,
    field: impl FnOnce() -> String,
) -> Result<T, Error> {
    let known = P::try_from(value).ok();
    let named = known.and_then(|known| name(&known).parse().ok());
    named.ok_or_else(|| Error::new(field(), ErrorKind::UnknownNumber(value)))
}

/// Returns the text, or `None` if it is empty, which means that it is not set.
pub(super) fn filled<T: for<'a> From<&'a str>>(text: &str) -> Option<T> {
    (!text.is_empty()).then(|| text.into())
}

/// Returns the list, or `None` if it is empty.
pub(super) fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Returns the number, or `None` if it is 0, for fields where 0 means that it is not set.
pub(super) fn nonzero<T: Default + PartialEq>(number: T) -> Option<T> {
    (number != T::default()).then_some(number)
}

/// Returns the output of a builder of the crate. Only types without setters need builders.
pub(super) fn built<T>(
    result: Result<T, OciSpecError>,
    field: impl FnOnce() -> String,
) -> Result<T, Error> {
    result.map_err(|cause| Error::new(field(), ErrorKind::Refused(cause.into())))
}
