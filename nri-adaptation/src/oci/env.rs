//! The environment of the container's process.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use oci_spec::runtime::Spec;

use crate::oci::error::{Error, ErrorKind};
use crate::oci::parts;
use nri::adjust::marker;
use nri::api::KeyValue;

/// Replaces variables in place, removes marked ones, and appends new ones in the order given.
pub(super) fn apply(spec: &mut Spec, asked: &[KeyValue]) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let mut changes = Changes::new(asked)?;
    let present = spec
        .process_mut()
        .as_mut()
        .and_then(|process| process.env_mut().take());
    let mut env = changes.change(present.unwrap_or_default());
    changes.append(asked, &mut env);
    if spec.process().is_some() || !env.is_empty() {
        parts::process(spec).set_env(Some(env));
    }
    Ok(())
}

/// The changes to variables, by name.
struct Changes<'a> {
    /// The new value; `None` removes the variable.
    values: BTreeMap<&'a str, Option<&'a str>>,
    done: BTreeSet<&'a str>,
}

impl<'a> Changes<'a> {
    fn new(asked: &'a [KeyValue]) -> Result<Self, Error> {
        let mut values = BTreeMap::new();
        for (index, KeyValue { key, value }) in asked.iter().enumerate() {
            if let Some(name) = marker::removed(key) {
                values.entry(name).or_insert(None);
            } else if key.is_empty() {
                return Err(Error::new(format!("env[{index}]"), ErrorKind::Unnamed));
            } else {
                values.insert(key.as_str(), Some(value.as_str()));
            }
        }
        let done = BTreeSet::new();
        Ok(Changes { values, done })
    }

    /// Changes the existing variables. A variable that occurs several times keeps its first
    /// position and its last value.
    fn change(&mut self, present: Vec<String>) -> Vec<String> {
        let mut env: Vec<String> = Vec::with_capacity(present.len());
        let mut places = HashMap::new();
        for entry in present {
            let name = entry.split_once('=').map_or(&*entry, |(name, _)| name);
            let entry = match self.values.get_key_value(name) {
                Some((name, _)) if !self.done.insert(name) => continue,
                Some((_, None)) => continue,
                Some((name, Some(value))) => format!("{name}={value}"),
                None => entry,
            };
            let name = entry.split_once('=').map_or(&*entry, |(name, _)| name);
            match places.get(name) {
                Some(&place) => env[place] = entry,
                None => {
                    places.insert(name.to_owned(), env.len());
                    env.push(entry);
                }
            }
        }
        env
    }

    fn append(&mut self, asked: &'a [KeyValue], env: &mut Vec<String>) {
        for KeyValue { key, value: _ } in asked {
            if let Some(Some(value)) = self.values.get(key.as_str())
                && self.done.insert(key)
            {
                env.push(format!("{key}={value}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::ErrorKind;
    use crate::oci::fixtures::{applied, process};
    use nri::adjust::Adjustment;

    #[test]
    fn variables_are_replaced_in_place_removed_and_appended() {
        let before = process(json!({"env": ["A=1", "B=2", "C=3", "no value", "A=4"]}));
        let adjustment = Adjustment::new()
            .env("NEW", "x=y")
            .env("A", "5")
            .remove_env("B")
            .remove_env("absent")
            .replace_env("C", "");
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(
            after["process"]["env"],
            json!(["A=5", "C=", "no value", "NEW=x=y"])
        );
    }

    #[test]
    fn of_a_variable_that_is_there_twice_the_last_value_counts() {
        let before = process(json!({"env": ["A=1", "B=2", "A=3"]}));
        let after = applied(before, &Adjustment::new().env("C", "4")).unwrap();
        assert_eq!(after["process"]["env"], json!(["A=3", "B=2", "C=4"]));
    }

    #[test]
    fn a_variable_that_is_removed_and_set_is_set() {
        let adjustment = Adjustment::new().env("A", "2").remove_env("A");
        let after = applied(process(json!({"env": ["A=1"]})), &adjustment).unwrap();
        assert_eq!(after["process"]["env"], json!(["A=2"]));
    }

    #[test]
    fn a_variable_needs_a_name() {
        let error = applied(process(json!({})), &Adjustment::new().env("", "1")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unnamed));
        assert_eq!(error.field(), "env[0]");
    }
}
