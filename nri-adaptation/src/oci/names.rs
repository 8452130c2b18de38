//! Conversion of names and numbers of the protocol to enums of the `oci-spec` crate.

use std::str::FromStr;

use oci_spec::OciSpecError;

use crate::oci::error::{Error, ErrorKind};

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

/// Converts a number to a value of a protocol enum.
pub(super) fn number<T: TryFrom<i32>>(
    value: i32,
    field: impl FnOnce() -> String,
) -> Result<T, Error> {
    value
        .try_into()
        .map_err(|_| Error::new(field(), ErrorKind::UnknownNumber(value)))
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
