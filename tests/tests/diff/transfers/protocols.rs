//! Mutations of NRI protocols: no pairing works if a decoder sees a value change, vanish or be
//! refused, and no pairing has trouble with a field that no decoder sees.

use fastrand::Rng;
use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport as Report;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{ItemKind, Pairing, PairingItem, PairingOutcome};
use nri_schema::History;
use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, ReflectMessage as _, Value};

use super::{Decoder, Side, same, values};

/// The revisions that are changed: the newest, and two older ones.
pub(super) const REVISIONS: [&str; 3] = ["v0.4.0", "v0.11.0", "v0.12.4"];

/// Messages of each type that are sent to find trouble, and to find trouble that a pairing names.
const MESSAGES: (usize, usize) = (4, 200);

/// Holds the pairings of random mutations against a decoder. Returns how many pairings were
/// compared, and how many of them have trouble.
pub(super) fn law(decoder: &mut dyn Decoder, rounds: u64) -> (usize, usize) {
    let history = History::embedded().expect("the embedded tables fit together");
    let (mut compared, mut troubled) = (0, 0);
    for name in REVISIONS {
        let mut revisions = history.revisions().iter();
        let revision = revisions.find(|revision| revision.name() == name);
        let before = revision.or_else(|| history.revisions().last()).expect("there are revisions");
        for seed in 0..rounds {
            let mut rng = Rng::with_seed(seed);
            let (after, change) = mutate(before.proto(), &mut rng);
            let Some(pairs) = Compared::new(before.proto(), &after) else {
                continue;
            };
            for pair in pairs.directions() {
                compared += 1;
                troubled += usize::from(pair.hold(decoder, &mut rng, &change));
            }
        }
    }
    (compared, troubled)
}

/// Both sides of a mutation, and the pairings.
struct Compared {
    sides: [Side; 2],
    pairings: Vec<Pairing>,
}

/// Holds the findings against the pairings: not all work if a rule of NRI reports an error.
fn hold_findings(report: &Report) {
    let error = report
        .findings
        .iter()
        .find(|finding| finding.level == Level::Error && finding.rule.starts_with("NRI_"));
    let mut pairings = report.pairings.iter();
    if let Some(error) = error {
        let has_trouble = pairings.any(|pairing| pairing.outcome() > PairingOutcome::Fallback);
        assert!(has_trouble, "{error:#?}, but all pairings work");
    }
}

/// A plugin of one side on a runtime of the other.
struct Direction<'c> {
    plugin: &'c Side,
    runtime: &'c Side,
    pairing: &'c Pairing,
}

impl Compared {
    /// Compares two protos; `None` if one does not compile.
    fn new(before: &str, after: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let side = |name: &str, text: &str| {
            let folder = folder.path().join(name);
            std::fs::create_dir(&folder).expect("a new folder");
            std::fs::write(folder.join("api.proto"), text)
                .expect("a folder that can be written to");
            Side::of(&folder)
        };
        let sides = [side("before", before)?, side("after", after)?];
        let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
        let report = diff(&path("before"), &path("after"), Category::File).ok()?;
        hold_findings(&report);
        Some(Self { sides, pairings: report.pairings })
    }

    /// Returns the plugin of the first side on the runtime of the second one, then the reverse.
    fn directions(&self) -> Vec<Direction<'_>> {
        let [before, after] = &self.sides;
        let sides = [(before, after), (after, before)];
        let directions = sides.into_iter().zip(&self.pairings);
        directions
            .map(|((plugin, runtime), pairing)| Direction { plugin, runtime, pairing })
            .collect()
    }
}

/// A message that one peer sends to the other.
struct Sent<'c> {
    from_plugin: bool,
    receiver: &'c Side,
    sent: MessageDescriptor,
    expected: MessageDescriptor,
}

impl<'c> Direction<'c> {
    /// Sends random messages of all RPCs, and returns true if the decoder sees trouble.
    fn hold(&self, decoder: &mut dyn Decoder, rng: &mut Rng, change: &str) -> bool {
        let messages = self.messages();
        let mut seen = trouble(&messages, decoder, rng, MESSAGES.0);
        if seen.is_none() && self.must_be_seen() {
            seen = trouble(&messages, decoder, rng, MESSAGES.1);
            assert!(seen.is_some(), "{change}: nobody sees {:#?}", self.pairing);
        }
        let Some(seen) = seen else {
            return false;
        };
        assert!(
            self.pairing.outcome() > PairingOutcome::Fallback,
            "{change}: {:?} works, but {seen}",
            self.pairing
        );
        true
    }

    /// Returns true if the only trouble is with the values of fields, which a decoder must see.
    fn must_be_seen(&self) -> bool {
        let mut troubled = self
            .pairing
            .items
            .iter()
            .filter(|item| item.outcome > PairingOutcome::Loses)
            .peekable();
        troubled.peek().is_some()
            && troubled.all(|item| item.kind == ItemKind::Field && is_value(item))
    }

    /// Returns the requests and answers of the RPCs that both sides have.
    fn messages(&self) -> Vec<Sent<'c>> {
        let mut messages = Vec::new();
        for service in self.runtime.pool.services() {
            let Some(known) = self.plugin.pool.get_service_by_name(service.full_name()) else {
                continue;
            };
            let to_plugin = service.name() == "Plugin";
            for called in service.methods() {
                let Some(served) = known.methods().find(|method| method.name() == called.name())
                else {
                    continue;
                };
                let requests = (served.input(), called.input());
                let answers = (served.output(), called.output());
                for (of, from_plugin) in [(requests, !to_plugin), (answers, to_plugin)] {
                    let (of_plugin, of_runtime) = of;
                    messages.push(if from_plugin {
                        Sent {
                            from_plugin,
                            receiver: self.runtime,
                            sent: of_plugin,
                            expected: of_runtime,
                        }
                    } else {
                        Sent {
                            from_plugin,
                            receiver: self.plugin,
                            sent: of_runtime,
                            expected: of_plugin,
                        }
                    });
                }
            }
        }
        messages
    }
}

/// Sends messages of each type, and returns what the decoder sees first, if anything.
fn trouble(
    messages: &[Sent<'_>],
    decoder: &mut dyn Decoder,
    rng: &mut Rng,
    count: usize,
) -> Option<String> {
    for from_plugin in [true, false] {
        let mut messages = messages.iter().filter(|one| one.from_plugin == from_plugin).peekable();
        let Some(first) = messages.peek() else {
            continue;
        };
        if !decoder.use_schema(first.receiver) {
            continue;
        }
        for one in messages {
            for _ in 0..count {
                if let Some(seen) = one.send(decoder, rng) {
                    return Some(seen);
                }
            }
        }
    }
    None
}

/// Returns true if an item is about the value of a field.
fn is_value(item: &PairingItem) -> bool {
    item.outcome == PairingOutcome::LosesPresence
        || item.outcome == PairingOutcome::Misreads && item.detail.starts_with("sent as ")
}

impl Sent<'_> {
    fn send(&self, decoder: &mut dyn Decoder, rng: &mut Rng) -> Option<String> {
        let mut message = values::message(&self.sent, rng, 5)?;
        // The mask has a meaning of its own, and other tests.
        message.clear_field_by_name("events");
        let Some(answer) = decoder.decode(&self.expected, &message.encode_to_vec()) else {
            return Some(format!("{message} is refused"));
        };
        let understood = DynamicMessage::decode(self.expected.clone(), answer.as_slice()).ok()?;
        if !self.from_plugin {
            message = without_unknown(message, &self.expected);
        }
        let is_same =
            same::same(&message, &understood) && same::same_presence(&message, &understood);
        (!is_same).then(|| format!("{message} becomes {understood}"))
    }
}

/// Removes what the receiver does not know: a plugin misses nothing that it was not built to read.
fn without_unknown(mut message: DynamicMessage, expected: &MessageDescriptor) -> DynamicMessage {
    let of = message.descriptor();
    for field in of.fields() {
        let Some(known) = expected.get_field(field.number()) else {
            message.clear_field(&field);
            continue;
        };
        let Some(inner) = known.kind().as_message().cloned() else {
            continue;
        };
        if !message.has_field(&field) {
            continue;
        }
        let value = match message.get_field(&field).into_owned() {
            Value::Message(held) => Value::Message(without_unknown(held, &inner)),
            Value::List(items) => {
                let kept = items.into_iter().map(|item| match item {
                    Value::Message(held) => Value::Message(without_unknown(held, &inner)),
                    other => other,
                });
                Value::List(kept.collect())
            }
            other => other,
        };
        message.set_field(&field, value);
    }
    message
}

/// Changes one field, message, enum or the package of a proto, and returns the change in words.
fn mutate(text: &str, rng: &mut Rng) -> (String, String) {
    if rng.u8(..6) == 0 {
        return rename(text, rng);
    }
    let mut lines: Vec<&str> = text.lines().collect();
    let fields: Vec<usize> = (0..lines.len()).filter(|&at| is_field(lines[at])).collect();
    let at = fields[rng.usize(..fields.len())];
    let before = code(lines[at]);
    let (declared, number) = before.trim_end_matches(';').split_once(" = ").expect("a field");
    let number = number.split_whitespace().next().expect("a number");
    let (kind, name) = declared.rsplit_once(' ').expect("a type and a name");
    let single = kind.trim_start_matches("repeated ").trim_start_matches("optional ");
    let types = [
        "string",
        "bytes",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "sint64",
        "bool",
        "double",
        "OptionalInt64",
    ];
    let other = types[rng.usize(..types.len())];
    let after = match rng.u8(..8) {
        0 => format!("optional {single} {name} = {number};"),
        1 => format!("oneof only_{name} {{ {single} {name} = {number}; }}"),
        2 => format!("{kind} {name} = {};", rng.usize(60..90)),
        3 => format!("{other} {name} = {number};"),
        4 => format!("repeated {single} {name} = {number};"),
        5 => format!("{kind} {name}_renamed = {number};"),
        6 => String::new(),
        _ => format!("repeated {single} {name} = {number} [packed = false];"),
    };
    lines[at] = &after;
    (lines.join("\n"), format!("{before} -> {after}"))
}

/// Renames a message or an enum wherever it is used, or a constant.
fn rename(text: &str, rng: &mut Rng) -> (String, String) {
    let declared = |keyword: &str| {
        let lines = text.lines().filter_map(move |line| line.trim().strip_prefix(keyword));
        lines
            .filter_map(|rest| rest.split([' ', '{']).next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let names = match rng.u8(..3) {
        0 => declared("enum "),
        _ => declared("message "),
    };
    let name = &names[rng.usize(..names.len())];
    let renamed = format!("Renamed{name}");
    let mut after = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
        } else {
            after.push_str(if word == *name { &renamed } else { &word });
            word.clear();
            after.push(letter);
        }
    }
    (after, format!("{name} -> {renamed}"))
}

fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

fn is_field(line: &str) -> bool {
    let code = code(line);
    let words = code.split_whitespace().count();
    code.ends_with(';')
        && code.contains(" = ")
        && words >= 4
        && !["option ", "syntax ", "map<", "reserved ", "}"]
            .iter()
            .any(|start| code.starts_with(start))
        && !code.contains('{')
}
