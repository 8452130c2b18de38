//! The JSON mapping of `nri` (feature `serde`) against that of `prost-reflect`, over random messages and in both
//! directions.

use nri::api;
use nri::json::{JsonMessage, Strict};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, FieldDescriptor, Kind, MapKey,
    MessageDescriptor, SerializeOptions, Value,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Messages that hold all others.
macro_rules! check_all {
    ($pool:expr, $seed:expr, $($message:ident)*) => {$(
        check::<api::$message>($pool, stringify!($message), $seed);
    )*};
}

#[test]
fn random_messages_have_the_same_json() {
    let pool = newest();
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(9),
        ..ProptestConfig::default()
    };
    let run = TestRunner::new(config).run(&any::<u64>(), |seed| {
        check_all!(
            &pool, seed,
            RegisterPluginRequest UpdateContainersRequest UpdateContainersResponse LogRequest
            ConfigureRequest ConfigureResponse SynchronizeRequest SynchronizeResponse
            UpdatePodSandboxRequest CreateContainerResponse StopContainerResponse
            ValidateContainerAdjustmentRequest ValidateContainerAdjustmentResponse
            PodSandbox Container OptionalInt OptionalRepeatedString Empty
        );
        Ok(())
    });
    run.unwrap();
}

fn newest() -> DescriptorPool {
    let history = nri_schema::History::embedded().unwrap();
    history.compiled_for("latest").unwrap().pool.clone()
}

/// Compares what both write of one random message, and what both read of it in either spelling of its names.
fn check<M>(pool: &DescriptorPool, name: &str, seed: u64)
where
    M: JsonMessage + Serialize + DeserializeOwned + PartialEq,
{
    let full_name = format!("nri.pkg.api.v1alpha1.{name}");
    let descriptor = pool.get_message_by_name(&full_name).unwrap();
    let theirs = random(&descriptor, &mut fastrand::Rng::with_seed(seed), 0);
    let ours: M = theirs.transcode_to().unwrap();

    let written = serde_json::to_string(&ours).unwrap();
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value, json(&theirs, &SerializeOptions::new()), "{name}");

    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let mut parser = serde_json::Deserializer::from_str(&written);
    let read = DynamicMessage::deserialize_with_options(descriptor, &mut parser, &options).unwrap();
    assert!(
        read.transcode_to::<M>().unwrap() == ours,
        "{name}: {written}"
    );

    let proto_names = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false)
        .use_enum_numbers(true)
        .skip_default_fields(false);
    let other = json(&theirs, &proto_names).to_string();
    for text in [&written, &other] {
        let Strict(read) = serde_json::from_str::<Strict<M>>(text).unwrap();
        assert!(read == ours, "{name}: {text}");
    }
}

fn json(message: &DynamicMessage, options: &SerializeOptions) -> serde_json::Value {
    message
        .serialize_with_options(serde_json::value::Serializer, options)
        .unwrap()
}

fn random(descriptor: &MessageDescriptor, rng: &mut fastrand::Rng, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields() {
        if rng.u32(..3) > 0 {
            message.set_field(&field, value(&field, rng, depth));
        }
    }
    message
}

fn value(field: &FieldDescriptor, rng: &mut fastrand::Rng, depth: u32) -> Value {
    let many = rng.usize(..=3);
    if field.is_map() {
        let Kind::Message(entry) = field.kind() else {
            unreachable!("the entry of a map is a message");
        };
        let (key, kind) = (entry.map_entry_key_field(), entry.map_entry_value_field());
        let entry = |rng: &mut _| (map_key(&key.kind(), rng), single(&kind.kind(), rng, depth));
        return Value::Map((0..many).map(|_| entry(rng)).collect());
    }
    if field.is_list() {
        return Value::List(
            (0..many)
                .map(|_| single(&field.kind(), rng, depth))
                .collect(),
        );
    }
    single(&field.kind(), rng, depth)
}

fn map_key(kind: &Kind, rng: &mut fastrand::Rng) -> MapKey {
    match kind {
        Kind::String => MapKey::String(text(rng)),
        Kind::Int32 => MapKey::I32(rng.i32(..)),
        other => unreachable!("NRI has no map from {other:?}"),
    }
}

fn single(kind: &Kind, rng: &mut fastrand::Rng, depth: u32) -> Value {
    let edge = rng.u32(..3);
    match kind {
        Kind::Bool => Value::Bool(rng.bool()),
        Kind::String => Value::String(text(rng)),
        Kind::Int32 => Value::I32([rng.i32(..), i32::MIN, i32::MAX][edge as usize]),
        Kind::Int64 => Value::I64([rng.i64(..), i64::MIN, i64::MAX][edge as usize]),
        Kind::Uint32 => Value::U32([rng.u32(..), 0, u32::MAX][edge as usize]),
        Kind::Uint64 => Value::U64([rng.u64(..), 0, u64::MAX][edge as usize]),
        // Now and then a number that has no name.
        Kind::Enum(known) => Value::EnumNumber(match known.values().nth(rng.usize(..8)) {
            Some(value) => value.number(),
            None => rng.i32(..),
        }),
        Kind::Message(message) if depth < 6 => Value::Message(random(message, rng, depth + 1)),
        Kind::Message(message) => Value::Message(DynamicMessage::new(message.clone())),
        other => unreachable!("NRI has no field of {other:?}"),
    }
}

fn text(rng: &mut fastrand::Rng) -> String {
    let length = rng.usize(..6);
    (0..length).map(|_| rng.char('\0'..'\u{ffff}')).collect()
}

/// The order is that of the proto, and of the keys in maps, in every run.
#[test]
fn the_order_is_that_of_the_proto() {
    let mut pod = api::PodSandbox {
        pid: 7,
        namespace: "ns".into(),
        id: "p0".into(),
        linux: Some(api::LinuxPodSandbox::default()),
        ..Default::default()
    };
    for key in ["b", "a", "c"] {
        pod.labels.insert(key.into(), "1".into());
    }
    assert_eq!(
        serde_json::to_string(&pod).unwrap(),
        r#"{"id":"p0","namespace":"ns","labels":{"a":"1","b":"1","c":"1"},"linux":{},"pid":7}"#
    );
}
