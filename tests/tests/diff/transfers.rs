//! Compares `diff::wire` with the libraries that it describes: messages are encoded with one schema
//! and decoded with another, by prost (through prost-reflect) and by Go's protobuf library.

#[cfg(feature = "go")]
mod go;
mod layouts;
mod matrix;
mod protocols;
mod same;
mod values;

use std::path::Path;

use fastrand::Rng;
use nri_compat::diff::wire::{Arrival, Effect, Transfer, Transfers};
use nri_schema::Schema;
use nri_tests::compile;
use nri_tests::random::SchemaCase;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

/// One side: the same schema for all three.
struct Side {
    #[cfg_attr(not(feature = "go"), allow(dead_code))]
    set: Vec<u8>,
    pool: DescriptorPool,
    schema: Schema,
}

impl Side {
    fn of(folder: &Path) -> Option<Self> {
        let set = compile::set(folder).ok()?;
        Some(Self {
            pool: DescriptorPool::decode(set.as_slice()).expect("compiled"),
            schema: Schema::decode(&set).expect("compiled"),
            set,
        })
    }
}

/// A library that decodes.
trait Decoder {
    /// The answer of the rules about this library.
    fn arrival(&self, effect: &Effect) -> Arrival;
    /// Returns true if it insists on required fields.
    fn wants_required(&self) -> bool;
    /// Returns true if the library takes the schema.
    fn use_schema(&mut self, side: &Side) -> bool;
    /// The message as it was understood, encoded again without unknown fields; `None` if it was
    /// refused.
    fn decode(&mut self, receiver: &MessageDescriptor, message: &[u8]) -> Option<Vec<u8>>;
}

struct Prost;

impl Decoder for Prost {
    fn arrival(&self, effect: &Effect) -> Arrival {
        effect.prost
    }

    fn wants_required(&self) -> bool {
        false
    }

    fn use_schema(&mut self, _: &Side) -> bool {
        true
    }

    fn decode(&mut self, receiver: &MessageDescriptor, message: &[u8]) -> Option<Vec<u8>> {
        let message = DynamicMessage::decode(receiver.clone(), message).ok()?;
        Some(values::without_unknown(message).encode_to_vec())
    }
}

/// The promise of the rules about a whole message.
#[derive(Debug)]
struct Promise<'s> {
    worst: Arrival,
    /// True if both sides have the same fields.
    complete: bool,
    parts: Vec<Transfer<'s>>,
}

impl Promise<'_> {
    /// Returns true if the trouble needs text that is not UTF-8, which prost never sends.
    fn needs_bad_text(&self) -> bool {
        self.parts.iter().any(|part| {
            let Transfer::Read { effect, .. } = part else {
                return false;
            };
            let of_text = ["sent as string, read as", "sent as a list of string, read as"];
            effect.reason.contains("string: ")
                && of_text.iter().any(|text| effect.reason.contains(text))
        })
    }
}

fn promise<'s>(
    sent: (&'s Side, &'s str),
    expected: (&'s Side, &'s str),
    decoder: &dyn Decoder,
) -> Promise<'s> {
    let parts = Transfers::new(&sent.0.schema, &expected.0.schema).between(sent.1, expected.1);
    let arrivals = parts.iter().map(|part| match part {
        Transfer::Read { effect, .. } => decoder.arrival(effect),
        Transfer::Unfilled { required: true, .. } if decoder.wants_required() => Arrival::Refused,
        Transfer::Unfilled { .. }
        | Transfer::Unknown { .. }
        | Transfer::UnknownValue { .. }
        | Transfer::OtherValue { .. } => Arrival::Same,
    });
    Promise {
        worst: arrivals.max().unwrap_or(Arrival::Same),
        complete: parts
            .iter()
            .all(|part| !matches!(part, Transfer::Unknown { .. } | Transfer::Unfilled { .. })),
        parts,
    }
}

/// The result of reading messages of one type as another.
#[derive(Default)]
struct Outcome {
    refused: usize,
    changed: usize,
    /// Messages in which 0 became unset, or unset became 0.
    without_presence: usize,
}

/// Sends `count` random messages and holds each against the promise.
fn send<'s>(
    (sender, sent): (&'s Side, &'s MessageDescriptor),
    (receiver, expected): (&'s Side, &'s MessageDescriptor),
    decoder: &mut dyn Decoder,
    (count, rng): (usize, &mut Rng),
) -> (Promise<'s>, Outcome) {
    let promise = promise((sender, sent.full_name()), (receiver, expected.full_name()), decoder);
    let mut outcome = Outcome::default();
    for _ in 0..count {
        let Some(message) = values::message(sent, rng, 4) else {
            break;
        };
        let encoded = message.encode_to_vec();
        let Some(understood) = decoder.decode(expected, &encoded) else {
            outcome.refused += 1;
            assert_eq!(promise.worst, Arrival::Refused, "{message} was refused: {promise:#?}");
            continue;
        };
        // Go keeps text of proto2 that is not UTF-8, which nothing else can read.
        let Ok(understood) = DynamicMessage::decode(expected.clone(), understood.as_slice()) else {
            outcome.changed += 1;
            continue;
        };
        let context = || {
            let names = (sent.full_name(), expected.full_name());
            format!("{} as {}: {message}\nbecame {understood}: {promise:#?}", names.0, names.1)
        };
        if !same::same(&message, &understood) {
            outcome.changed += 1;
            let may_change = promise.worst > Arrival::PresenceLost || !promise.complete;
            assert!(may_change, "{}", context());
        } else if !same::same_presence(&message, &understood) {
            outcome.without_presence += 1;
            assert!(promise.worst >= Arrival::PresenceLost, "{}", context());
        }
    }
    (promise, outcome)
}

/// Sends every type and label as every other one, and compares the trouble that the rules predict
/// with what happens.
fn matrix(decoder: &mut dyn Decoder) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    matrix::write(folder.path());
    let side = Side::of(folder.path()).expect("the matrix compiles");
    assert!(decoder.use_schema(&side));
    let mut rng = Rng::with_seed(1);
    let messages: Vec<_> =
        side.pool.all_messages().filter(|message| matrix::is_variant(message.name())).collect();
    assert!(messages.len() > 60);
    let mut wrong = Vec::new();
    for sent in &messages {
        for expected in &messages {
            let (promise, kept) = keeps_its_promise((&side, sent, expected), decoder, &mut rng);
            if !kept {
                wrong.push(format!(
                    "{} read as {}: {:?}",
                    sent.name(),
                    expected.name(),
                    promise.parts
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "never seen:\n{}", wrong.join("\n"));
}

/// Sends messages until the promised trouble shows: some of it takes rare values.
fn keeps_its_promise<'s>(
    (side, sent, expected): (&'s Side, &'s MessageDescriptor, &'s MessageDescriptor),
    decoder: &mut dyn Decoder,
    rng: &mut Rng,
) -> (Promise<'s>, bool) {
    const ROUNDS: usize = 200;
    let mut round = 0;
    loop {
        let (promise, outcome) = send((side, sent), (side, expected), decoder, (16, rng));
        let kept = match promise.worst {
            Arrival::Same => true,
            Arrival::PresenceLost => outcome.without_presence > 0,
            Arrival::Altered | Arrival::Skipped => outcome.changed > 0,
            Arrival::Refused => outcome.refused > 0 || promise.needs_bad_text(),
        };
        round += 1;
        if kept || round == ROUNDS {
            return (promise, kept);
        }
    }
}

/// Random schemas before and after random changes, in both directions.
fn mutated(decoder: &mut dyn Decoder, seeds: std::ops::Range<u64>) {
    let (mut sent, mut refused, mut changed) = (0, 0, 0);
    for seed in seeds {
        let folder = tempfile::tempdir().expect("a temporary folder");
        SchemaCase::new(seed).write(folder.path()).expect("a folder that can be written to");
        let side = |name| Side::of(&folder.path().join(name));
        let (Some(before), Some(after)) = (side("before"), side("after")) else {
            continue;
        };
        let mut rng = Rng::with_seed(seed);
        for (from, to) in [(&before, &after), (&after, &before)] {
            if !decoder.use_schema(to) {
                continue;
            }
            for message in from.pool.all_messages().filter(|message| !message.is_map_entry()) {
                let Some(expected) = to.pool.get_message_by_name(message.full_name()) else {
                    continue;
                };
                let (_, outcome) = send((from, &message), (to, &expected), decoder, (4, &mut rng));
                sent += 4;
                refused += outcome.refused;
                changed += outcome.changed;
            }
        }
    }
    assert!(
        sent > 2000 && refused > 20 && changed > 50,
        "{sent} sent, {refused} refused, {changed} changed"
    );
}

#[test]
fn every_type_as_every_other_with_prost() {
    matrix(&mut Prost);
}

#[test]
fn mutated_protos_with_prost() {
    mutated(&mut Prost, 0..200);
}

/// Asserts that enough mutations were compared, and that enough of them have trouble.
fn assert_enough((compared, troubled): (usize, usize)) {
    eprintln!("{compared} pairings compared, {troubled} with trouble");
    assert!(compared > 80 && troubled > 30, "{compared} compared, {troubled} with trouble");
}

#[test]
fn pairings_of_mutated_protocols_with_prost() {
    assert_enough(protocols::law(&mut Prost, 24));
}

#[cfg(feature = "go")]
#[test]
fn pairings_of_mutated_protocols_with_go() {
    assert_enough(protocols::law(&mut go::Go::start(), 24));
}

#[cfg(feature = "go")]
#[test]
fn every_type_as_every_other_with_go() {
    matrix(&mut go::Go::start());
}

#[cfg(feature = "go")]
#[test]
fn mutated_protos_with_go() {
    mutated(&mut go::Go::start(), 0..200);
}
