//! The settings: which events are printed, where, and what containers are marked with.

use std::fs::{File, OpenOptions};
use std::io::{self, Write, stdout};
use std::sync::Arc;

use lexopt::{Error, Parser, ValueExt};
use nri::prelude::*;
use serde::Deserialize;

use super::events;

pub(crate) const HELP: &str = concat!(
    "      --events E,…    print only these: RunPodSandbox or RUN_POD_SANDBOX, and so on; all, pod, container\n",
    "                      [default: all]\n",
    "      --log-file FILE append to this file [default: standard output]\n",
    "      --add-annotation KEY, --set-annotation KEY, --add-env NAME, --set-env NAME\n",
    "                      mark containers with this annotation or variable; set replaces an existing one\n",
    "      --quiet         print nothing, count only\n",
);

#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) events: Subscription,
    pub(crate) quiet: bool,
    marks: Marks,
    output: Option<Arc<File>>,
}

/// The names of annotations and variables to mark containers with.
#[derive(Clone, Default)]
struct Marks {
    add_annotation: Option<String>,
    set_annotation: Option<String>,
    add_env: Option<String>,
    set_env: Option<String>,
}

/// The plugin's configuration file. Missing keys keep the values of the flags.
///
/// Without `#[serde(flatten)]`, which would need code to buffer values of any type.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Overrides {
    log_file: Option<String>,
    events: Vec<String>,
    quiet: Option<bool>,
    add_annotation: Option<String>,
    set_annotation: Option<String>,
    add_env: Option<String>,
    set_env: Option<String>,
}

impl Settings {
    /// Parses a flag with its value. Returns true if it is one of these.
    pub(crate) fn take(&mut self, name: &str, parser: &mut Parser) -> Result<bool, Error> {
        let mark = match name {
            "events" => {
                self.events = Subscription::Only(parser.value()?.parse_with(events::mask)?);
                return Ok(true);
            }
            "log-file" => {
                self.output = Some(parser.value()?.parse_with(append)?);
                return Ok(true);
            }
            "quiet" => {
                self.quiet = true;
                return Ok(true);
            }
            "add-annotation" => &mut self.marks.add_annotation,
            "set-annotation" => &mut self.marks.set_annotation,
            "add-env" => &mut self.marks.add_env,
            "set-env" => &mut self.marks.set_env,
            _ => return Ok(false),
        };
        *mark = Some(parser.value()?.string()?);
        Ok(true)
    }

    /// Applies the plugin's configuration file.
    pub(crate) fn apply(&mut self, overrides: Overrides) -> nri::Result<()> {
        if !overrides.events.is_empty() {
            self.events = Subscription::Only(events::mask(&overrides.events.join(","))?);
        }
        if let Some(file) = &overrides.log_file {
            let opened = append(file).map_err(|error| format!("cannot open {file}: {error}"))?;
            self.output = Some(opened);
        }
        self.quiet = overrides.quiet.unwrap_or(self.quiet);
        let marks = &mut self.marks;
        marks.add_annotation = overrides.add_annotation.or(marks.add_annotation.take());
        marks.set_annotation = overrides.set_annotation.or(marks.set_annotation.take());
        marks.add_env = overrides.add_env.or(marks.add_env.take());
        marks.set_env = overrides.set_env.or(marks.set_env.take());
        Ok(())
    }

    /// Returns an adjustment that marks a container with the plugin's process id.
    pub(crate) fn mark(&self) -> Adjustment {
        let (marks, mut adjustment) = (&self.marks, Adjustment::new());
        let value = || format!("logger-pid-{}", std::process::id());
        if let Some(key) = &marks.add_annotation {
            adjustment = adjustment.annotation(key, value());
        }
        if let Some(key) = &marks.set_annotation {
            adjustment = adjustment.replace_annotation(key, value());
        }
        if let Some(name) = &marks.add_env {
            adjustment = adjustment.env(name, value());
        }
        if let Some(name) = &marks.set_env {
            adjustment = adjustment.replace_env(name, value());
        }
        adjustment
    }

    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        match &self.output {
            Some(file) => (&**file).write_all(text.as_bytes()),
            None => stdout().write_all(text.as_bytes()),
        }
    }
}

fn append(path: &str) -> io::Result<Arc<File>> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    Ok(Arc::new(file))
}
