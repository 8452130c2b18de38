//! How an adjustment says "remove": a `-` before the key.
//!
//! Annotations, mounts, environment variables, devices, namespaces, sysctls and network devices are removed by an
//! entry whose key (name, destination, path, type) has the marker. The builder methods place it; these functions are
//! for code that reads adjustments, such as a validator.
//!
//! ```
//! use nri::adjust::marker;
//!
//! assert_eq!(marker::mark("HOME"), "-HOME");
//! assert_eq!(marker::removed("-HOME"), Some("HOME"));
//! assert_eq!(marker::removed("HOME"), None);
//! assert_eq!(marker::key("-HOME"), "HOME");
//! ```

/// The key, marked for removal.
pub fn mark(key: &str) -> String {
    format!("-{key}")
}

/// The key that an entry removes, or `None` where the entry adds or sets.
pub fn removed(key: &str) -> Option<&str> {
    key.strip_prefix('-')
}

/// The key without the marker, if it had one: what the entry is about, whether it adds or removes.
pub fn key(key: &str) -> &str {
    removed(key).unwrap_or(key)
}
