//! The settings: which events are printed, and where.

use std::fs::{File, OpenOptions};
use std::io::{self, Write, stdout};
use std::sync::Arc;

use lexopt::{Arg, Error, Parser, ValueExt};
use nri::prelude::*;

use super::common::usage;
use super::events;

pub(crate) const HELP: &str = concat!(
    "      --events E,…    print these only: RunPodSandbox or RUN_POD_SANDBOX, and so on [default: all]\n",
    "      --output FILE   append to this file [default: standard output]\n",
    "      --quiet         print nothing, count only\n",
    "                      These three may be in the plugin's configuration file as well: a runtime that\n",
    "                      launches a plugin gives it neither flags nor a standard output.\n",
);

#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) events: Option<EventMask>,
    pub(crate) quiet: bool,
    output: Option<Arc<File>>,
}

impl Settings {
    /// Takes a flag with its value. Returns whether it is one of these.
    pub(crate) fn take(&mut self, name: &str, parser: &mut Parser) -> Result<bool, Error> {
        match name {
            "events" => self.events = Some(parser.value()?.parse_with(events::mask)?),
            "output" => self.output = Some(parser.value()?.parse_with(append)?),
            "quiet" => self.quiet = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns these settings with the flags in this text, separated by white space.
    pub(crate) fn with(&self, config: &str) -> nri::Result<Self> {
        let mut settings = self.clone();
        let mut parser = Parser::from_args(config.split_whitespace());
        while let Some(argument) = parser.next().map_err(usage)? {
            let Arg::Long(name) = argument else {
                return Err(usage(argument.unexpected()));
            };
            let name = name.to_owned();
            if !settings.take(&name, &mut parser).map_err(usage)? {
                return Err(usage(Arg::Long(&name).unexpected()));
            }
        }
        Ok(settings)
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
