//! Replaces the values of environment variables and annotations.

use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor, Value};

use super::decode::decode;
use super::frame::Payload;

/// The text that replaces every value that is not empty.
pub const REDACTED: &str = "<redacted>";

/// The fields whose values are replaced, in any message.
const ANNOTATIONS: &str = "annotations";
const ENVIRONMENT: &str = "env";

/// Returns the payload with the values of environment variables and annotations replaced. Their
/// names are kept.
///
/// Fields that the newest protocol revision does not have are removed, because their content is
/// unknown. A payload that has no type, cannot be decoded, or would take too much memory is
/// withheld.
pub(super) fn redact(payload: &[u8], message: Option<MessageDescriptor>) -> Payload {
    let decoded = message.and_then(|message| decode(message, payload).ok());
    match decoded {
        Some(mut decoded) => {
            redact_message(&mut decoded);
            Payload::Bytes(decoded.encode_to_vec().into())
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

/// Replaces the value of a variable, which is a string `NAME=value` or a message with `key` and
/// `value`.
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
    use nri::api::{Container, Hook, Hooks, PodSandbox, SynchronizeRequest};
    use prost_reflect::{DescriptorPool, Kind, MethodDescriptor};

    use super::super::schema;
    use super::*;
    use crate::session::PLUGIN_SERVICE;

    fn method(name: &str) -> MethodDescriptor {
        schema::method(PLUGIN_SERVICE, name).unwrap()
    }

    #[test]
    fn values_are_replaced_and_names_are_kept() {
        let recorded = request("hunter2", ["A=hunter2", "B=", "C", "=x", "D=x=hunter2"]);
        let expected = ["A=<redacted>", "B=", "C", "=<redacted>", "D=<redacted>"];
        assert_eq!(
            redact(&recorded, Some(method("Synchronize").input())),
            Payload::Bytes(request(REDACTED, expected).into())
        );
    }

    /// Returns a request of Synchronize with a value of annotations and hooks, and variables.
    fn request(value: &str, env: [&str; 5]) -> Vec<u8> {
        let entry = |key: &str, content: &str| (key.to_owned(), content.to_owned());
        let hook = Hook { env: vec![format!("H={value}")], ..Hook::default() };
        let container = Container {
            args: vec!["--serve".to_owned()],
            env: env.map(str::to_owned).into(),
            labels: [entry("app", "hunter2")].into(),
            annotations: [entry("token", value)].into(),
            hooks: Some(Box::new(Hooks { prestart: vec![hook], ..Hooks::default() })),
            ..Container::default()
        };
        let request = SynchronizeRequest {
            pods: vec![PodSandbox {
                annotations: [entry("empty", "")].into(),
                ..PodSandbox::default()
            }],
            containers: vec![container],
            more: true,
        };
        nri::codec::Message::encode_to_vec(&request)
    }

    #[test]
    fn unknown_content_is_omitted() {
        // Field 1000, a string.
        let unknown = b"\xc2\x3e\x07hunter2";
        let stop = |bytes| redact(bytes, Some(method("StopPodSandbox").input()));
        assert_eq!(stop(unknown), Payload::Bytes(bytes::Bytes::new()));
        assert_eq!(stop(b"\xff\xff"), Payload::Withheld(2));
        assert_eq!(redact(b"hunter2", None), Payload::Withheld(7));
    }

    /// A field with variables or annotations that the rules above do not know would leak.
    #[test]
    fn every_revision_has_variables_and_annotations_only_in_the_known_shapes() {
        for revision in nri_protos::REVISIONS {
            let pool = DescriptorPool::decode(revision.descriptors).unwrap();
            let fields =
                pool.all_messages().flat_map(|message| message.fields().collect::<Vec<_>>());
            for field in fields {
                let name = field.name().to_ascii_lowercase();
                let is_known = match (name.as_str(), field.kind()) {
                    (ANNOTATIONS, _) => field.is_map(),
                    (ENVIRONMENT, Kind::Message(pair)) => {
                        field.is_list() && pair.name() == "KeyValue"
                    }
                    (ENVIRONMENT, kind) => field.is_list() && kind == Kind::String,
                    // Events, which are numbers.
                    (_, Kind::Int32 | Kind::Enum(_)) => true,
                    (other, _) => !other.contains("annotation") && !other.contains("env"),
                };
                assert!(is_known, "{}", field.full_name());
            }
        }
    }
}
