//! Prints changes.

use std::fs::{File, OpenOptions};
use std::io::Write;

use serde_json::Value;
use similar::TextDiff;
use tracing::info;

use super::arrival::Arrival;

/// How, and where, changes are printed.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) yaml: bool,
    pub(crate) level: u8,
    file: Option<File>,
}

impl Report {
    /// Appends to a file instead of logging.
    pub(crate) fn append_to(&mut self, path: &str) -> Result<(), String> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        self.file = Some(file.map_err(|error| format!("{path}: {error}"))?);
        Ok(())
    }

    pub(crate) fn print(&self, line: &str) {
        match &self.file {
            Some(file) => {
                let mut file: &File = file;
                if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
                    tracing::warn!("cannot print changes: {error}");
                }
            }
            None => info!("{line}"),
        }
    }

    /// Prints what arrives at the first index.
    pub(crate) fn first(&self, index: u8, event: &str, now: &Arrival) {
        if self.level > 0 {
            self.dump(index, event, now);
        }
    }

    /// Prints the changes between one index and the next.
    pub(crate) fn changes(&self, index: u8, event: &str, before: &Arrival, now: &Arrival) {
        if self.level > 1 {
            self.dump(index, event, before);
        }
        for ((name, old), (_, new)) in before.objects().zip(now.objects()) {
            let mut lines =
                if self.yaml { yaml_changes(old, new) } else { field_changes(old, new) };
            if lines.is_empty() {
                lines.push("<no changes>".to_owned());
            }
            for line in lines {
                self.print(&format!("[{index}] {event}: {name}: {line}"));
            }
        }
        if self.level > 1 {
            self.dump(index, event, now);
        }
    }

    fn dump(&self, index: u8, event: &str, arrival: &Arrival) {
        for (name, object) in arrival.objects() {
            for line in yaml(object).lines() {
                self.print(&format!("[{index}] {event}: {name}:   {line}"));
            }
        }
    }
}

fn yaml(object: &Value) -> String {
    serde_yaml_ng::to_string(object).unwrap_or_else(|error| error.to_string())
}

/// Returns the lines of YAML that differ.
fn yaml_changes(before: &Value, now: &Value) -> Vec<String> {
    let (old, new) = (yaml(before), yaml(now));
    let diff = TextDiff::from_lines(&old, &new);
    diff.iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .map(|change| format!("{}{}", change.tag(), change.value().trim_end()))
        .collect()
}

/// Returns a line for each field that differs.
fn field_changes(before: &Value, now: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", before, now, &mut lines);
    lines
}

/// Compares two values, and those in them if both are objects, or both lists.
fn compare(path: &str, before: &Value, now: &Value, lines: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(old), Value::Object(new)) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let path = format!("{path}/{key}");
                compare(&path, &before[key], &now[key], lines);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for at in 0..old.len().max(new.len()) {
                let path = format!("{path}/{at}");
                let value = |list: &[Value]| list.get(at).cloned().unwrap_or_default();
                compare(&path, &value(old), &value(new), lines);
            }
        }
        _ if before == now => {}
        (Value::Null, now) => lines.push(format!("create {path}: {now}")),
        (before, Value::Null) => lines.push(format!("delete {path}: {before}")),
        (before, now) => lines.push(format!("update {path}: {before} -> {now}")),
    }
}
