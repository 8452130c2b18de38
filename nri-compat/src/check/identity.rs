//! Reads index and name of a plugin from the name of its file.

/// Returns index and name, if the file name has the form that runtimes require of plugins:
/// `10-logger`.
///
/// Rules: `ParsePluginName` of <https://github.com/containerd/nri/blob/v0.12.0/pkg/api/plugin.go>.
pub(super) fn identity(file_name: &str) -> (Option<String>, Option<String>) {
    match file_name.split_once('-') {
        Some((index, name)) if is_index(index) && is_name(name) => {
            (Some(index.to_owned()), Some(name.to_owned()))
        }
        _ => (None, None),
    }
}

/// Returns true if a file name has the form that runtimes require of plugins.
pub(super) fn is_plugin_name(file_name: &str) -> bool {
    identity(file_name).0.is_some()
}

fn is_index(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn other_names_have_no_index() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(identity("10-logger"), (some("10"), some("logger")));
        assert_eq!(identity("05-a-b.c"), (some("05"), some("a-b.c")));
        for name in ["logger", "1-logger", "100-logger", "10-", "10-a b", "x0-a"] {
            assert_eq!(identity(name), (None, None), "{name}");
        }
    }
}
