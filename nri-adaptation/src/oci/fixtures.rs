//! Helpers for the unit tests of this module.

use oci_spec::runtime::Spec;
use serde_json::{Value, json};

use crate::oci::{Error, Generator, from_value, to_value};
use nri::adjust::Adjustment;
use nri::api::ContainerAdjustment;

pub(super) fn spec(value: Value) -> Spec {
    from_value(value).unwrap()
}

/// Returns a spec with a process that has these fields.
pub(super) fn process(fields: Value) -> Spec {
    let mut process = json!({"user": {"uid": 0, "gid": 0}, "cwd": "/"});
    for (name, value) in fields.as_object().unwrap() {
        process[name] = value.clone();
    }
    spec(json!({ "process": process }))
}

/// Returns an adjustment that the builder cannot make.
pub(super) fn raw(adjustment: ContainerAdjustment) -> Adjustment {
    adjustment.into()
}

pub(super) fn applied(mut spec: Spec, adjustment: &Adjustment) -> Result<Value, Error> {
    Generator::new(&mut spec).apply(adjustment.container())?;
    Ok(to_value(&spec).unwrap())
}

/// Applies an adjustment with the callbacks that `set` adds.
pub(super) fn generated<'a>(
    before: Value,
    adjustment: &Adjustment,
    set: impl FnOnce(Generator<'_>) -> Generator<'_> + 'a,
) -> Result<Value, Error> {
    let mut spec = spec(before);
    set(Generator::new(&mut spec)).apply(adjustment.container())?;
    Ok(to_value(&spec).unwrap())
}
