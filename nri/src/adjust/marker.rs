//! The marker for removals in adjustments: a `-` before the key.
//!
//! An entry whose key (name, destination, path, type) has the marker removes an annotation, mount,
//! environment variable, device, namespace, sysctl or network device. The builder methods add the
//! marker; these functions are for code that reads adjustments, such as a validator.
//!
//! ```
//! use nri::adjust::marker;
//!
//! assert_eq!(marker::mark("HOME"), "-HOME");
//! assert_eq!(marker::removed("-HOME"), Some("HOME"));
//! assert_eq!(marker::removed("HOME"), None);
//! assert_eq!(marker::key("-HOME"), "HOME");
//! ```

/// Returns the key with the marker for removal.
pub fn mark(key: &str) -> String {
    format!("-{key}")
}

/// Returns the key that an entry removes, or `None` if the entry adds or sets.
pub fn removed(key: &str) -> Option<&str> {
    key.strip_prefix('-')
}

/// Returns the key without the marker, whether the entry adds or removes.
pub fn key(key: &str) -> &str {
    removed(key).unwrap_or(key)
}
