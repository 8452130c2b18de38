//! The newest revision together with the RPCs that earlier ones had.
//!
//! Plugins also run under older runtimes, which call what a later release of NRI removed, and our
//! adaptation also serves older plugins. So code is generated as if nothing had been removed.
//! Services that are gone as a whole are not restored.

use std::collections::BTreeMap;

use nri_schema::history::{History, Proto};
use nri_schema::model::{About, FieldKind, Message, Protocol};
use nri_schema::{Error, ErrorKind, Problem};

/// Returns a history whose newest revision has all RPCs of earlier revisions; `None` if it has them
/// already.
///
/// # Errors
///
/// Returns an error if a proto does not compile, before or after.
pub(super) fn restored(history: &History) -> Result<Option<History>, Error> {
    let Some((newest, earlier)) = history.revisions().split_last() else { return Ok(None) };
    let protocol = newest.protocol()?;
    let mut removed = Removed::default();
    for revision in earlier.iter().rev() {
        removed.collect(protocol, revision.protocol()?, revision.proto())?;
    }
    if removed.rpcs.is_empty() {
        return Ok(None);
    }
    let text = removed.put_back(protocol, newest.proto())?;
    let mut tables = history.tables().clone();
    tables.protos.retain(|proto| proto.revision != newest.name());
    tables.protos.push(Proto::from_text(newest.name(), text));
    History::from_tables(tables).map(Some)
}

/// The elements that the newest revision lacks, by full name, as text.
#[derive(Default)]
struct Removed {
    /// The RPCs, each with the name of its service.
    rpcs: BTreeMap<String, (String, String)>,
    messages: BTreeMap<String, String>,
}

impl Removed {
    /// Adds what an earlier revision has and neither the newest one nor those between have.
    fn collect(&mut self, newest: &Protocol, earlier: &Protocol, text: &str) -> Result<(), Error> {
        for service in earlier.services.iter().filter(|it| newest.service(&it.name).is_some()) {
            for rpc in &service.rpcs {
                if newest.has(&rpc.full_name) || self.rpcs.contains_key(&rpc.full_name) {
                    continue;
                }
                let declared = declaration(text, &rpc.about)?;
                self.rpcs.insert(rpc.full_name.clone(), (service.name.clone(), declared));
                for name in [&rpc.input, &rpc.output] {
                    self.collect_message(newest, earlier, text, name)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a message and those in its fields.
    fn collect_message(
        &mut self,
        newest: &Protocol,
        earlier: &Protocol,
        text: &str,
        name: &str,
    ) -> Result<(), Error> {
        let Some(message) = earlier.message(name) else { return Ok(()) };
        if newest.has(name) || self.messages.contains_key(name) {
            return Ok(());
        }
        self.messages.insert(name.to_owned(), declaration(text, &message.about)?);
        for held in messages_in(message) {
            self.collect_message(newest, earlier, text, held)?;
        }
        Ok(())
    }

    /// Returns the text of the newest revision with what was removed.
    fn put_back(&self, newest: &Protocol, text: &str) -> Result<String, Error> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the last service to the first, so that no insertion moves the next one.
        for service in newest.services.iter().rev() {
            let rpcs: Vec<_> = self
                .rpcs
                .values()
                .filter(|(name, _)| *name == service.name)
                .map(|(_, rpc)| rpc.clone())
                .collect();
            let end = end(text, first_line(&service.about)?)?;
            lines.splice(end..end, rpcs);
        }
        lines.extend(self.messages.values().cloned());
        Ok(lines.join("\n") + "\n")
    }
}

/// Returns the full names of the messages in the fields of a message.
fn messages_in(message: &Message) -> impl Iterator<Item = &str> {
    message.fields.iter().filter_map(|field| match &field.kind {
        FieldKind::Message(name) => Some(name.as_str()),
        FieldKind::Map { value, .. } => match &**value {
            FieldKind::Message(name) => Some(name.as_str()),
            FieldKind::Scalar(_) | FieldKind::Enum(_) | FieldKind::Map { .. } => None,
        },
        FieldKind::Scalar(_) | FieldKind::Enum(_) => None,
    })
}

/// Returns the text of a declaration, with the comment above it.
fn declaration(text: &str, about: &About) -> Result<String, Error> {
    let first = first_line(about)?;
    let lines: Vec<&str> = text.lines().collect();
    let is_comment = |line: &&&str| line.trim_start().starts_with("//");
    let comment = lines[..first].iter().rev().take_while(is_comment).count();
    let declared = &lines[first - comment..=end(text, first)?];
    Ok(format!("\n{}", declared.join("\n")))
}

/// Returns the index of the first line of a declaration.
fn first_line(about: &About) -> Result<usize, Error> {
    let line = about.location.as_ref().and_then(|location| location.line.checked_sub(1));
    line.and_then(|line| usize::try_from(line).ok()).ok_or_else(without_end)
}

/// Returns the index of the line on which the declaration that starts on this one ends.
fn end(text: &str, start: usize) -> Result<usize, Error> {
    let mut depth = 0_usize;
    for (index, line) in text.lines().enumerate().skip(start) {
        let code = line.split("//").next().unwrap_or_default();
        let opened = code.matches('{').count();
        depth = (depth + opened).saturating_sub(code.matches('}').count());
        let closed = code.contains('}') || (opened == 0 && code.contains(';'));
        if depth == 0 && closed {
            return Ok(index);
        }
    }
    Err(without_end())
}

fn without_end() -> Error {
    Problem::new(ErrorKind::Protocol, "cannot find the text of a removed declaration").into()
}
