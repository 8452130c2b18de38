//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};
use nri::api::Event;

use crate::error::Failure;
use crate::event;

pub(crate) const HELP: &str = "A small NRI runtime for trying out plugins.

  runtime --socket PATH [FLAGS] --scenario FILE              send the events of a file
  runtime --socket PATH [FLAGS] --bundle DIR                 run an OCI bundle with runc, as the plugins adjust it
  runtime --socket PATH [FLAGS] --event NAME --count N       measure round trips

      --socket PATH     listen for plugins on this Unix socket
      --plugins DIR     launch the plugins of this directory
      --config DIR      their configuration [default: /etc/nri/conf.d]
      --speak VERSION   behave like this NRI release, such as v0.11.0 [default: the newest]
      --wait N          start once N external plugins are synchronized; an error after 60 s [default: 0]
      --scenario FILE   JSON: {\"pods\":[…],\"containers\":[…],\"steps\":[{\"event\":\"CreateContainer\",\"pod\":{…},\"container\":{…}}]}
      --linger MS       wait so long after the last event for updates that plugins send after it [default: 200]
      --bundle DIR      folder with a config.json, whose annotations are also those of the pod
      --event NAME      the event to send, such as PostStartContainer
      --count N         how often to send it
      --labels N        labels and annotations of the pod and of the container [default: 0]
      --pods N          pods, with two containers each, that already exist and are used in turn [default: 0]
  -h, --help            print this help";

/// The time for updates after the last event: a plugin sends them once its answer has arrived, and
/// the runtime cannot know of them before.
const LINGER: Duration = Duration::from_millis(200);

/// The maximum number of measured round trips: each takes 8 bytes of memory.
const MAX_COUNT: u32 = 100_000_000;

/// The maximum number of labels: the request has to fit into a message.
const MAX_LABELS: u32 = 10_000;

/// The maximum number of pods, which are all kept in memory.
const MAX_PODS: u32 = 1_000_000;

/// The checked command line.
#[derive(Debug)]
pub(crate) struct Flags {
    pub(crate) socket: PathBuf,
    pub(crate) plugins: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
    pub(crate) speak: Option<String>,
    pub(crate) wait: usize,
    pub(crate) linger: Duration,
    pub(crate) task: Task,
}

/// The task once the plugins are connected.
#[derive(Debug)]
pub(crate) enum Task {
    /// Send the events of this file.
    Scenario(PathBuf),
    /// Run the bundle in this folder.
    Bundle(PathBuf),
    /// Measure round trips.
    Bench(Bench),
}

/// The round trips to measure.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) event: Event,
    pub(crate) count: u32,
    pub(crate) labels: u32,
    pub(crate) pods: u32,
}

#[derive(Default)]
struct Given {
    socket: Option<PathBuf>,
    plugins: Option<PathBuf>,
    config: Option<PathBuf>,
    speak: Option<String>,
    wait: Option<usize>,
    linger: Option<u32>,
    scenario: Option<PathBuf>,
    bundle: Option<PathBuf>,
    event: Option<String>,
    count: Option<u32>,
    labels: Option<u32>,
    pods: Option<u32>,
}

impl Flags {
    /// Parses the command line. Returns `None` if it requests help.
    pub(crate) fn parse() -> Result<Option<Self>, Failure> {
        let mut given = Given::default();
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next().map_err(usage)? {
            match argument {
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                Arg::Long(name) => {
                    let name = name.to_owned();
                    given.take(&name, &mut parser).map_err(usage)?;
                }
                other => return Err(usage(other.unexpected())),
            }
        }
        given.checked().map(Some)
    }
}

impl Given {
    fn take(&mut self, name: &str, parser: &mut Parser) -> Result<(), lexopt::Error> {
        match name {
            "socket" => self.socket = Some(parser.value()?.into()),
            "plugins" => self.plugins = Some(parser.value()?.into()),
            "config" => self.config = Some(parser.value()?.into()),
            "speak" => self.speak = Some(parser.value()?.string()?),
            "wait" => self.wait = Some(parser.value()?.parse()?),
            "linger" => self.linger = Some(parser.value()?.parse()?),
            "scenario" => self.scenario = Some(parser.value()?.into()),
            "bundle" => self.bundle = Some(parser.value()?.into()),
            "event" => self.event = Some(parser.value()?.string()?),
            "count" => self.count = Some(parser.value()?.parse()?),
            "pods" => self.pods = Some(parser.value()?.parse()?),
            "labels" => self.labels = Some(parser.value()?.parse()?),
            _ => return Err(Arg::Long(name).unexpected()),
        }
        Ok(())
    }

    fn checked(self) -> Result<Flags, Failure> {
        let task = match (&self.scenario, &self.bundle, &self.event) {
            (Some(file), None, None) => Task::Scenario(file.clone()),
            (None, Some(folder), None) => Task::Bundle(folder.clone()),
            (None, None, Some(event)) => Task::Bench(self.bench(event)?),
            (None, None, None) => {
                return Err(Failure::usage("--scenario, --bundle or --event is missing"));
            }
            (_, _, _) => {
                return Err(Failure::usage("--scenario, --bundle and --event exclude each other"));
            }
        };
        if self.measures() && self.event.is_none() {
            return Err(Failure::usage("--count, --labels and --pods require --event"));
        }
        if self.config.is_some() && self.plugins.is_none() {
            return Err(Failure::usage("--config requires --plugins"));
        }
        if self.linger.is_some() && self.scenario.is_none() {
            return Err(Failure::usage("--linger requires --scenario"));
        }
        let socket = self.socket.ok_or_else(|| Failure::usage("--socket is missing"))?;
        Ok(Flags {
            socket,
            plugins: self.plugins,
            config: self.config,
            speak: self.speak,
            wait: self.wait.unwrap_or(0),
            linger: self.linger.map_or(LINGER, |ms| Duration::from_millis(ms.into())),
            task,
        })
    }

    /// Returns true if a flag is given that only applies to measurements.
    fn measures(&self) -> bool {
        let flags = [self.count, self.labels, self.pods];
        flags.iter().any(Option::is_some)
    }

    fn bench(&self, event: &str) -> Result<Bench, Failure> {
        let event = event::parse(event).map_err(Failure::usage)?;
        let count = self.count.ok_or_else(|| Failure::usage("--count is missing"))?;
        if !(1..=MAX_COUNT).contains(&count) {
            let message = format!("--count is {count}, expected 1 to {MAX_COUNT}");
            return Err(Failure::usage(message));
        }
        let labels = self.labels.unwrap_or(0);
        if labels > MAX_LABELS {
            let message = format!("--labels is {labels}, more than {MAX_LABELS}");
            return Err(Failure::usage(message));
        }
        let pods = self.pods.unwrap_or(0);
        if pods > MAX_PODS {
            let message = format!("--pods is {pods}, more than {MAX_PODS}");
            return Err(Failure::usage(message));
        }
        Ok(Bench { event, count, labels, pods })
    }
}

fn usage(error: lexopt::Error) -> Failure {
    Failure::usage(error.to_string())
}
