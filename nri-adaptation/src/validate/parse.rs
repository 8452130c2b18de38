//! Values of annotations.

use serde_yaml_ng::Value;

/// The longest list that is parsed, in bytes. Kubernetes limits all annotations of a pod together to this.
const MAX_LIST: usize = 256 * 1024;

/// Parses a boolean in the spellings that Go's `strconv.ParseBool` accepts.
pub(super) fn parse_bool(value: &str) -> Result<bool, String> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}

/// Parses a YAML list of names. An empty document is an empty list.
pub(super) fn parse_list(value: &str) -> Result<Vec<String>, String> {
    if value.len() > MAX_LIST {
        return Err(format!("longer than {MAX_LIST} bytes"));
    }
    match serde_yaml_ng::from_str(value).map_err(|error| error.to_string())? {
        Value::Null => Ok(Vec::new()),
        Value::Sequence(entries) => entries.into_iter().map(name).collect(),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Mapping(_)
        | Value::Tagged(_) => Err("expected a list of plugin names".to_owned()),
    }
}

fn name(entry: Value) -> Result<String, String> {
    match entry {
        Value::String(name) => Ok(name),
        Value::Null => Ok(String::new()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(value) => Ok(value.to_string()),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => {
            Err("expected a list of plugin names, found an entry that is no name".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_every_yaml_form() {
        for list in ["[a, 10-b]", "- a\n- 10-b\n", "[\"a\", '10-b']"] {
            assert_eq!(parse_list(list).unwrap(), ["a", "10-b"], "{list}");
        }
        for empty in ["", "[]", "~", "# none\n"] {
            assert!(parse_list(empty).unwrap().is_empty(), "{empty}");
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        for value in ["a", "a: b", "[a: b]", "[[a]]", "[a", "3", "- - a"] {
            assert!(parse_list(value).is_err(), "{value}");
        }
        let long = format!("[{}]", "a,".repeat(MAX_LIST));
        assert!(parse_list(&long).is_err());
        let bomb = "[".repeat(100_000);
        assert!(parse_list(&bomb).is_err());
    }

    #[test]
    fn booleans_as_go_reads_them() {
        assert_eq!(parse_bool("T"), Ok(true));
        assert_eq!(parse_bool("0"), Ok(false));
        assert!(parse_bool("yes").is_err());
    }
}
