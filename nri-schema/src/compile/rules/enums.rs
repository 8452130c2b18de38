//! Values of enums: their aliases, and their names without the prefix of the enum.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{EnumDescriptor, Syntax};

use super::part::enumeration;
use super::{Broken, below, ranges};

pub(super) fn broken(found: &EnumDescriptor) -> Vec<Broken> {
    let mut broken = ranges::of_enum(found);
    broken.extend(needless_alias(found));
    broken.extend(names_without_prefix(found));
    broken
}

fn needless_alias(found: &EnumDescriptor) -> Option<Broken> {
    let options = found.enum_descriptor_proto().options.as_ref()?;
    let numbers: BTreeSet<i32> = found.values().map(|value| value.number()).collect();
    let is_needless = options.allow_alias() && numbers.len() == found.values().len();
    let fact = || {
        let name = found.full_name();
        format!("`{name}` allows aliases, but no two of its values have the same number")
    };
    is_needless.then(|| Broken::at(below(found.path(), &[enumeration::OPTIONS]), fact()))
}

/// Returns values that differ only in case, underscores or the prefix of the enum, which generators
/// of some languages remove. Only proto3 forbids them.
fn names_without_prefix(found: &EnumDescriptor) -> Vec<Broken> {
    if found.parent_file().syntax() != Syntax::Proto3 {
        return Vec::new();
    }
    let prefix = plain(found.name());
    let mut known: BTreeMap<String, (String, i32)> = BTreeMap::new();
    let mut broken = Vec::new();
    for value in found.values() {
        let name = plain(value.name());
        let short =
            name.strip_prefix(&prefix).filter(|rest| !rest.is_empty()).unwrap_or(&name).to_owned();
        match known.get(&short) {
            Some((other, number)) if *number != value.number() => {
                let fact = format!(
                    "`{}` and `{other}` are the same name without the prefix of the enum",
                    value.name()
                );
                broken.push(Broken::at(value.path().to_vec(), fact));
            }
            Some(_) => {}
            None => {
                known.insert(short, (value.name().to_owned(), value.number()));
            }
        }
    }
    broken
}

fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}
