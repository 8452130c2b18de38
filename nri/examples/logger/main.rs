//! Prints every event with its pod and container, as YAML or JSON.

#[path = "../common/mod.rs"]
mod common;
mod events;
mod handlers;
mod record;

use std::io::Write;

use common::Flags;
use lexopt::ValueExt;
use nri::prelude::*;
use record::{Format, Record};
use tracing::Level;

const ABOUT: &str = "An NRI plugin that prints every event with its pod and container.";

const HELP: &str = concat!(
    "      --events E,…    print these only: RunPodSandbox or RUN_POD_SANDBOX, and so on [default: all]\n",
    "      --format F      yaml or json, one line an event [default: yaml]\n",
    "      --quiet         print nothing, count only\n",
);

#[derive(Default, NriPlugin)]
#[nri(name = "logger", index = "00")]
struct Logger {
    events: Option<EventMask>,
    format: Format,
    quiet: bool,
}

impl Logger {
    /// Prints what happened. A broken pipe, say, is no reason to hold up a pod.
    fn print(&self, event: &str, pod: Option<&PodSandbox>, container: Option<&Container>) {
        if self.quiet {
            return;
        }
        let text = Record::new(event, pod, container).render(self.format);
        let printed = text.and_then(|text| Ok(std::io::stdout().write_all(text.as_bytes())?));
        if let Err(error) = printed {
            tracing::warn!("{event} is not printed: {error}");
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let mut logger = Logger::default();
    let own = |name: &str, parser: &mut lexopt::Parser| {
        match name {
            "events" => logger.events = Some(parser.value()?.parse_with(events::mask)?),
            "format" => logger.format = parser.value()?.parse_with(record::format)?,
            "quiet" => logger.quiet = true,
            _ => return Ok(false),
        }
        Ok(true)
    };
    let Some(flags) = Flags::parse(ABOUT, HELP, own)? else {
        return Ok(());
    };
    // Below this level every event has a span, which costs more than the event.
    common::log(if logger.quiet {
        Level::WARN
    } else {
        Level::INFO
    });
    flags.stub(logger).run().await
}
