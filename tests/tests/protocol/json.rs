//! The JSON mapping of `nri` (feature `serde`) against that of `prost-reflect`, over random
//! messages and in both directions.

use nri::api;
use nri::json::{JsonMessage, Strict};
use nri_tests::messages::{newest, random};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, SerializeOptions};
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
            PodSandbox Container LinuxRdt Empty
        );
        Ok(())
    });
    run.unwrap();
}

/// Compares what both write of one random message, and what both read of it in either spelling of
/// its names.
fn check<M>(pool: &DescriptorPool, name: &str, seed: u64)
where
    M: JsonMessage + Serialize + DeserializeOwned + PartialEq,
{
    let full_name = format!("nri.pkg.api.v1alpha1.{name}");
    let descriptor = pool.get_message_by_name(&full_name).unwrap();
    let theirs = random(&descriptor, seed);
    let ours = M::decode(theirs.encode_to_vec()).unwrap();

    let written = serde_json::to_string(&ours).unwrap();
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value, json(&theirs, &SerializeOptions::new()), "{name}");

    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let mut parser = serde_json::Deserializer::from_str(&written);
    let read = DynamicMessage::deserialize_with_options(descriptor, &mut parser, &options).unwrap();
    assert!(M::decode(read.encode_to_vec()).unwrap() == ours, "{name}: {written}");

    let proto_names = SerializeOptions::new()
        .use_proto_field_name(true)
        .stringify_64_bit_integers(false)
        .use_enum_numbers(true)
        .skip_default_fields(false);
    let other = json(&theirs, &proto_names).to_string();
    for text in [&written, &other] {
        let Strict(parsed) = serde_json::from_str::<Strict<M>>(text).unwrap();
        assert!(parsed == ours, "{name}: {text}");
    }
}

fn json(message: &DynamicMessage, options: &SerializeOptions) -> serde_json::Value {
    message.serialize_with_options(serde_json::value::Serializer, options).unwrap()
}

/// The order is that of the proto, and of the keys in maps, in every run.
#[test]
fn the_order_is_that_of_the_proto() {
    let mut pod = api::PodSandbox {
        pid: 7,
        namespace: "ns".into(),
        id: "p0".into(),
        linux: Some(Box::default()),
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
