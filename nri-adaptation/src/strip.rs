//! Removes the fields of an encoded message that a release does not know.

use nri::__private::{fields, numbers, put_bytes, rows};
use nri::codec::DecodeError;

/// The number of the value in a map entry.
const MAP_VALUE: u32 = 2;

/// Returns an encoded message without the fields that are newer than a release.
///
/// Returns the message unchanged if the release has no number, or the bytes cannot be read.
pub(crate) fn without_newer(message: &str, encoded: &[u8], release: &str) -> Vec<u8> {
    let stripped = numbers(release).and_then(|release| strip(message, encoded, release).ok());
    stripped.unwrap_or_else(|| encoded.to_vec())
}

fn strip(message: &str, encoded: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let rows = rows(message);
    if rows.is_empty() {
        return Ok(encoded.to_vec());
    }
    let mut kept = Vec::with_capacity(encoded.len());
    for field in fields(encoded) {
        let field = field?;
        let row = rows.iter().find(|row| row.number == field.number);
        if row.is_some_and(|row| numbers(row.since) > Some(release)) {
            continue;
        }
        match row.and_then(|row| Some((row.of?, field.bytes()?, row.is_map))) {
            Some((of, entry, true)) => {
                put_bytes(field.number, &strip_entry(of, entry, release)?, &mut kept);
            }
            Some((of, inner, false)) => {
                put_bytes(field.number, &strip(of, inner, release)?, &mut kept);
            }
            None => kept.extend_from_slice(field.encoded),
        }
    }
    Ok(kept)
}

/// Strips the value of a map entry.
fn strip_entry(of: &str, entry: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let mut kept = Vec::with_capacity(entry.len());
    for field in fields(entry) {
        let field = field?;
        match field.bytes() {
            Some(value) if field.number == MAP_VALUE => {
                put_bytes(field.number, &strip(of, value, release)?, &mut kept);
            }
            _ => kept.extend_from_slice(field.encoded),
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use nri::__private::newer_than;
    use nri::api::{ContainerAdjustment, KeyValue, LinuxContainerAdjustment, LinuxNetDevice};
    use nri::codec::Message as _;

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
