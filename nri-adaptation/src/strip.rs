//! Removes the fields of an encoded message that a release does not know.

use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, decode_key, encode_key, encode_varint, skip_field};

use nri::__private::{content, numbers, rows};

/// The number of the value in a map entry.
const MAP_VALUE: u32 = 2;

/// Returns an encoded message without the fields that are newer than a release.
///
/// Returns the message unchanged if the release has no number, or the bytes cannot be read.
pub(crate) fn without_newer(message: &str, encoded: &[u8], release: &str) -> Vec<u8> {
    let stripped = numbers(release).and_then(|release| strip(message, encoded, release).ok());
    stripped.unwrap_or_else(|| encoded.to_vec())
}

fn strip(message: &str, mut encoded: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let rows = rows(message);
    if rows.is_empty() {
        return Ok(encoded.to_vec());
    }
    let mut kept = Vec::with_capacity(encoded.len());
    while !encoded.is_empty() {
        let start = encoded;
        let (number, wire_type) = decode_key(&mut encoded)?;
        let value = encoded;
        skip_field(wire_type, number, &mut encoded, DecodeContext::default())?;
        match rows.iter().find(|field| field.number == number) {
            Some(field) if numbers(field.since) > Some(release) => {}
            Some(field) if field.of.is_some() && wire_type == WireType::LengthDelimited => {
                let of = field.of.unwrap_or_default();
                let inner = if field.is_map {
                    strip_entry(of, content(value)?, release)?
                } else {
                    strip(of, content(value)?, release)?
                };
                put(number, &inner, &mut kept);
            }
            _ => kept.extend(start.iter().take(start.len() - encoded.len())),
        }
    }
    Ok(kept)
}

/// Strips the value of a map entry.
fn strip_entry(of: &str, mut entry: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let mut kept = Vec::with_capacity(entry.len());
    while !entry.is_empty() {
        let start = entry;
        let (number, wire_type) = decode_key(&mut entry)?;
        let value = entry;
        skip_field(wire_type, number, &mut entry, DecodeContext::default())?;
        if number == MAP_VALUE && wire_type == WireType::LengthDelimited {
            put(number, &strip(of, content(value)?, release)?, &mut kept);
        } else {
            kept.extend(start.iter().take(start.len() - entry.len()));
        }
    }
    Ok(kept)
}

fn put(number: u32, value: &[u8], kept: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, kept);
    encode_varint(value.len() as u64, kept);
    kept.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prost::Message;

    use super::*;
    use nri::__private::newer_than;
    use nri::api::{ContainerAdjustment, KeyValue, LinuxContainerAdjustment, LinuxNetDevice};

    #[test]
    fn younger_fields_go_and_the_others_stay() {
        let env = KeyValue {
            key: "a".to_owned(),
            value: "b".to_owned(),
        };
        let linux = LinuxContainerAdjustment {
            net_devices: [("eth0".to_owned(), LinuxNetDevice::default())].into(),
            cgroups_path: "/a".to_owned(),
            ..LinuxContainerAdjustment::default()
        };
        let whole = ContainerAdjustment {
            env: vec![env.clone()],
            linux: Some(linux),
            args: vec!["x".to_owned()],
            ..ContainerAdjustment::default()
        };
        let encoded = whole.encode_to_vec();
        let stripped = without_newer("ContainerAdjustment", &encoded, "v0.2.0");
        assert!(newer_than("ContainerAdjustment", &stripped, "v0.2.0").is_empty());
        let stripped = ContainerAdjustment::decode(&*stripped).unwrap();
        assert_eq!((stripped.env, stripped.args.len()), (vec![env], 0));
        let linux = stripped.linux.unwrap();
        assert_eq!((&*linux.cgroups_path, linux.net_devices.len()), ("/a", 0));
        assert_eq!(
            without_newer("ContainerAdjustment", &encoded, "v99.0.0"),
            encoded
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_stripped_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let stripped = without_newer("CreateContainerResponse", &bytes, "v0.2.0");
            prop_assert!(stripped.len() <= bytes.len());
        }
    }
}
