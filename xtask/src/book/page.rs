//! A page. Besides Markdown, it may contain the address of the project, and the output of a
//! command.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::Documented;
use crate::error::{TaskError, writing};

/// A page of the book.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its path below the sources.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Page {
    /// Replaces `{{address}}`, each line with `{{#run COMMAND}}`, and each line that is the name of
    /// a list.
    ///
    /// # Errors
    ///
    /// Returns an error if a command fails.
    pub(super) fn expand(
        &mut self,
        address: &str,
        command: &Documented,
        lists: &[(&str, String)],
    ) -> Result<(), TaskError> {
        let mut text = String::new();
        for line in self.text.replace("{{address}}", address).lines() {
            if let Some((_, list)) = lists.iter().find(|(name, _)| *name == line) {
                text.push_str(list);
            } else if let Some(invocation) = invocation(line) {
                text.push_str(&run(command, invocation)?);
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        self.text = text;
        Ok(())
    }

    /// Writes the page below a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<(), TaskError> {
        let path = folder.join(&self.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(writing(parent))?;
        fs::write(&path, &self.text).map_err(writing(&path))
    }
}

/// Returns the arguments in `{{#run nri-compat ARGUMENTS}}`.
fn invocation(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("{{#run nri-compat ")?;
    inner.strip_suffix("}}")
}

/// Returns the command and its output as a block.
fn run(command: &Documented, arguments: &str) -> Result<String, TaskError> {
    let output = command.output(arguments.split_whitespace())?;
    Ok(block(&format!("$ nri-compat {arguments}\n{output}")))
}

/// Returns text as a block whose fence is longer than any in it.
pub(super) fn block(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_run_commands() {
        assert_eq!(invocation("{{#run nri-compat diff a b}}"), Some("diff a b"));
        assert_eq!(invocation("see {{#run nri-compat diff a b}}"), None);
        assert_eq!(invocation("{{#run sh -c ls}}"), None);
    }

    #[test]
    fn a_fence_is_longer_than_those_in_the_text() {
        assert_eq!(block("a\n"), "```text\na\n```\n");
        assert_eq!(block("```\n"), "````text\n```\n````\n");
    }
}
