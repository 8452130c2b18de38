//! Replaces the values of environment variables and annotations.

use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor, Value};

use super::frame::Payload;

/// The text that replaces every value that is not empty.
pub const REDACTED: &str = "<redacted>";

/// The fields whose values are replaced, in any message.
const ANNOTATIONS: &str = "annotations";
const ENVIRONMENT: &str = "env";

/// Returns the payload with the values of environment variables and annotations replaced. Their names are kept.
///
/// Fields that the newest protocol revision does not have are removed, because their content is unknown. A payload that
/// has no type or cannot be decoded is withheld.
pub(super) fn redact(payload: &[u8], message: Option<MessageDescriptor>) -> Payload {
    let decoded = message.and_then(|message| DynamicMessage::decode(message, payload).ok());
    match decoded {
        Some(mut message) => {
            redact_message(&mut message);
            Payload::Bytes(message.encode_to_vec().into())
        }
        None if payload.is_empty() => Payload::Bytes(bytes::Bytes::new()),
        None => Payload::Withheld(payload.len() as u64),
    }
}

/// Replaces the values in a message.
pub(super) fn redact_message(message: &mut DynamicMessage) {
    message.take_unknown_fields().for_each(drop);
    for (field, value) in message.fields_mut() {
        redact_field(&field, value);
    }
}

fn redact_field(field: &FieldDescriptor, value: &mut Value) {
    match (field.name(), value) {
        (ANNOTATIONS, Value::Map(entries)) => entries.values_mut().for_each(replace),
        (ENVIRONMENT, Value::List(variables)) => variables.iter_mut().for_each(redact_variable),
        (_, Value::Message(message)) => redact_message(message),
        (_, Value::List(values)) => values.iter_mut().for_each(redact_nested),
        (_, Value::Map(entries)) => entries.values_mut().for_each(redact_nested),
        _scalar => {}
    }
}

fn redact_nested(value: &mut Value) {
    if let Value::Message(message) = value {
        redact_message(message);
    }
}

/// Replaces the value of a variable, which is a string `NAME=value` or a message with `key` and `value`.
fn redact_variable(variable: &mut Value) {
    match variable {
        Value::String(text) => {
            if let Some((name, value)) = text.split_once('=')
                && !value.is_empty()
            {
                *text = format!("{name}={REDACTED}");
            }
        }
        Value::Message(pair) => {
            pair.take_unknown_fields().for_each(drop);
            if let Some(value) = pair.get_field_by_name_mut("value") {
                replace(value);
            }
        }
        _other => {}
    }
}

fn replace(value: &mut Value) {
    if let Value::String(text) = value
        && !text.is_empty()
    {
        REDACTED.clone_into(text);
    }
}

#[cfg(test)]
mod tests {
    use nri::api::{Container, ContainerAdjustment, CreateContainerRequest, Hook, Hooks, KeyValue};
    use nri::api::{CreateContainerResponse, PodSandbox, SynchronizeRequest};
    use nri::codec::Message as _;
    use prost_reflect::{DescriptorPool, Kind};

    use super::super::schema::{self, Side};
    use super::*;
    use crate::session::PLUGIN_SERVICE;

    fn redacted(method: &str, side: Side, message: &impl nri::codec::Message) -> Vec<u8> {
        let descriptor = schema::message(PLUGIN_SERVICE, method, side);
        match redact(&message.encode_to_vec(), descriptor) {
            Payload::Bytes(bytes) => bytes.to_vec(),
            Payload::Withheld(_) => panic!("withheld"),
        }
    }

    fn pod() -> PodSandbox {
        PodSandbox {
            name: "web".to_owned(),
            annotations: [("token".to_owned(), "hunter2".to_owned())].into(),
            labels: [("app".to_owned(), "web".to_owned())].into(),
            ..PodSandbox::default()
        }
    }

    fn container() -> Container {
        Container {
            args: vec!["--serve".to_owned()],
            env: ["A=hunter2", "B=", "C", "=hunter2", "D=x=hunter2"]
                .map(str::to_owned)
                .into(),
            annotations: [("empty".to_owned(), String::new())].into(),
            hooks: Some(Hooks {
                prestart: vec![Hook {
                    env: vec!["H=hunter2".to_owned()],
                    ..Hook::default()
                }],
                ..Hooks::default()
            }),
            ..Container::default()
        }
    }

    #[test]
    fn values_in_requests_are_replaced_and_names_are_kept() {
        let request = CreateContainerRequest {
            pod: Some(pod()),
            container: Some(container()),
        };
        let bytes = redacted("CreateContainer", Side::Request, &request);
        let request = CreateContainerRequest::decode(&*bytes).unwrap();
        let (pod, container) = (request.pod.unwrap(), request.container.unwrap());
        assert_eq!(pod.annotations["token"], REDACTED);
        assert_eq!(pod.labels["app"], "web");
        assert_eq!(container.args, ["--serve"]);
        assert_eq!(container.annotations["empty"], "");
        let expected = ["A=<redacted>", "B=", "C", "=<redacted>", "D=<redacted>"];
        assert_eq!(container.env, expected);
        assert_eq!(container.hooks.unwrap().prestart[0].env, ["H=<redacted>"]);
    }

    #[test]
    fn values_in_lists_and_answers_are_replaced() {
        let all = SynchronizeRequest {
            pods: vec![pod(), pod()],
            containers: vec![container()],
            more: true,
        };
        let bytes = redacted("Synchronize", Side::Request, &all);
        assert!(!bytes.windows(7).any(|part| part == b"hunter2"));

        let answer = CreateContainerResponse {
            adjust: Some(ContainerAdjustment {
                env: vec![KeyValue {
                    key: "A".to_owned(),
                    value: "hunter2".to_owned(),
                }],
                annotations: [("a".to_owned(), "hunter2".to_owned())].into(),
                ..ContainerAdjustment::default()
            }),
            ..CreateContainerResponse::default()
        };
        let bytes = redacted("CreateContainer", Side::Response, &answer);
        let adjust = CreateContainerResponse::decode(&*bytes).unwrap().adjust;
        assert_eq!(adjust.as_ref().unwrap().env[0].value, REDACTED);
        assert_eq!(adjust.unwrap().annotations["a"], REDACTED);
    }

    #[test]
    fn unknown_content_is_omitted() {
        let descriptor = schema::message(PLUGIN_SERVICE, "StopPodSandbox", Side::Request);
        let mut bytes = nri::api::StopPodSandboxRequest { pod: Some(pod()) }.encode_to_vec();
        // Field 1000, a string.
        bytes.extend_from_slice(b"\xc2\x3e\x07hunter2");
        let Payload::Bytes(kept) = redact(&bytes, descriptor.clone()) else {
            panic!("withheld");
        };
        assert!(!kept.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(redact(b"\xff\xff", descriptor), Payload::Withheld(2));
        assert_eq!(redact(b"hunter2", None), Payload::Withheld(7));
    }

    /// A field with variables or annotations that the rules above do not know would leak.
    #[test]
    fn every_revision_has_variables_and_annotations_only_in_the_known_shapes() {
        for revision in nri_protos::REVISIONS {
            let pool = DescriptorPool::decode(revision.descriptors).unwrap();
            let fields = pool
                .all_messages()
                .flat_map(|message| message.fields().collect::<Vec<_>>());
            for field in fields {
                let name = field.name().to_ascii_lowercase();
                if name == ANNOTATIONS {
                    assert!(field.is_map(), "{}", field.full_name());
                } else if name == ENVIRONMENT {
                    let pair = |kind: Kind| match kind {
                        Kind::Message(message) => message.name() == "KeyValue",
                        other => other == Kind::String,
                    };
                    assert!(
                        field.is_list() && pair(field.kind()),
                        "{}",
                        field.full_name()
                    );
                } else {
                    let suspicious = name.contains("annotation") || name.contains("env");
                    // Events, which are numbers.
                    let is_number = matches!(field.kind(), Kind::Int32 | Kind::Enum(_));
                    assert!(!suspicious || is_number, "{}", field.full_name());
                }
            }
        }
    }
}
