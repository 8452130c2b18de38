//! The prefixes that tools add to lines of a known format: `grep` adds file and line, `kubectl logs
//! --prefix` and `stern` a pod, `talosctl` a node.

/// The maximum number of positions at which a line may begin.
const MAX_STARTS: usize = 8;

/// The maximum length of a prefix in bytes.
const MAX_PREFIX: usize = 512;

/// Returns the text at positions where a line may begin after a prefix: after `: `, `:`, `] ` and
/// after each of the first words.
pub(super) fn starts(text: &str) -> impl Iterator<Item = &str> {
    let head = text.len().min(MAX_PREFIX);
    let separators = text.char_indices().take_while(move |(at, _)| *at < head);
    separators
        .filter(|(_, letter)| matches!(letter, ':' | ' '))
        .filter_map(|(at, _)| text.get(at + 1..))
        .filter(|rest| !rest.starts_with([' ', ':']))
        .take(MAX_STARTS)
}
