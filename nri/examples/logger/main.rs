//! Prints every event with its pod and container as a line of JSON:
//! `cargo run -p nri --features cli,serde --example logger`.
//!
//! The runtime may send a configuration, in which each key may be left out:
//!
//! ```yaml
//! logFile: /var/log/nri-events.json
//! events: [pod, CreateContainer]
//! addAnnotation: example.com/logged-by
//! setAnnotation: example.com/logged-by
//! addEnv: LOGGED_BY
//! setEnv: LOGGED_BY
//! quiet: false
//! ```
//!
//! `addAnnotation` and the three after it mark containers with the process id of the plugin, to
//! show how plugins conflict: only those with `set` replace what the container, or an earlier
//! plugin, has.

mod events;
mod handlers;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::{PoisonError, RwLock};

use nri::cli::Cli;
use nri::logging::Target;
use nri::prelude::*;
use serde::Serialize;
use settings::{Overrides, Settings};
use tracing::Level;

const ABOUT: &str = "An NRI plugin that prints every event with its pod and container.";

#[derive(Default, NriPlugin)]
#[nri(name = "logger", index = "00")]
struct Logger {
    settings: RwLock<Settings>,
}

/// An event as printed, with pod and container in protobuf's JSON mapping.
#[derive(Serialize)]
struct Record<'a> {
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<&'a PodSandbox>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a Container>,
}

impl Logger {
    /// Prints an event. A failure, such as a broken pipe, is only logged, because it must not delay
    /// a pod.
    fn print(&self, event: &str, pod: Option<&PodSandbox>, container: Option<&Container>) {
        let settings = self.settings.read().unwrap_or_else(PoisonError::into_inner);
        if settings.quiet {
            return;
        }
        let record = Record { event, pod, container };
        let text = serde_json::to_string(&record).map_err(nri::Error::other);
        if let Err(error) = text.and_then(|text| Ok(settings.write(&(text + "\n"))?)) {
            tracing::warn!("cannot print {event}: {error}");
        }
    }

    /// Applies the plugin's configuration file. Returns the events to subscribe to.
    fn configure(&self, overrides: Overrides) -> nri::Result<Subscription> {
        let mut settings = self.settings.write().unwrap_or_else(PoisonError::into_inner);
        settings.apply(overrides)?;
        Ok(settings.events)
    }

    /// Returns the adjustment that marks a container.
    fn mark(&self) -> Adjustment {
        let settings = self.settings.read().unwrap_or_else(PoisonError::into_inner);
        settings.mark()
    }
}

fn main() -> nri::Result<()> {
    let mut settings = Settings::default();
    let own = |name: &str, parser: &mut lexopt::Parser| settings.take(name, parser);
    let Some(flags) = Cli::new(ABOUT).with_help(settings::HELP).parse_with(own)? else {
        return Ok(());
    };
    // Above this level every event has a span, which costs more than the event.
    if settings.quiet {
        nri::logging::init(Level::WARN, Target::Stderr)?;
    }
    nri::block_on(flags.run(Logger { settings: RwLock::new(settings) }))
}
