//! The command line.

use lexopt::{Arg, Parser, ValueExt};
use nri::api::{Event, EventMask};
use nri::plugin::Subscription;

/// The plugin to run. There are several, because the attributes of the derive cannot be changed at
/// run time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Policy {
    #[default]
    None,
    OkOnTimeout,
    FailRequest,
    KeepConnected,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) socket: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) index: Option<String>,
    pub(crate) events: Subscription,
    pub(crate) policy: Policy,
}

impl Settings {
    pub(crate) fn parse() -> nri::Result<Self> {
        let mut settings = Settings::default();
        settings.take_all(Parser::from_env()).map_err(nri::Error::other)?;
        Ok(settings)
    }

    /// Returns the events in the configuration of a launched plugin, else those of the command
    /// line.
    pub(crate) fn subscription(&self, config: &str) -> nri::Result<Subscription> {
        let mut settings = self.clone();
        settings
            .take_all(Parser::from_args(config.split_whitespace()))
            .map_err(nri::Error::other)?;
        Ok(settings.events)
    }

    fn take_all(&mut self, mut parser: Parser) -> Result<(), lexopt::Error> {
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Long("socket") => self.socket = Some(parser.value()?.string()?),
                Arg::Long("name") => self.name = Some(parser.value()?.string()?),
                Arg::Long("index") => self.index = Some(parser.value()?.string()?),
                Arg::Long("events") => {
                    self.events = Subscription::Only(parser.value()?.parse_with(events)?)
                }
                Arg::Long("ok-on-timeout") => self.policy = Policy::OkOnTimeout,
                Arg::Long("fail-request") => self.policy = Policy::FailRequest,
                Arg::Long("keep-connected") => self.policy = Policy::KeepConnected,
                other => return Err(other.unexpected()),
            }
        }
        Ok(())
    }
}

fn events(names: &str) -> Result<EventMask, String> {
    let mut mask = EventMask::EMPTY;
    for name in names.split(',') {
        mask = mask.with(event(name).ok_or_else(|| format!("{name} is not an event"))?);
    }
    Ok(mask)
}

fn event(name: &str) -> Option<Event> {
    Event::ALL
        .iter()
        .copied()
        .find(|event| event.as_str_name().replace('_', "").eq_ignore_ascii_case(name))
}
