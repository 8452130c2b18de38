//! The release that added each field of the messages that plugins and runtimes send.

use super::rpc::first_with;
use nri_schema::Error;
use nri_schema::history::History;
use nri_schema::model::{Field, FieldKind, Message, Protocol};

/// A field that is newer than its message, or one that leads to such a field.
struct LaterField<'p> {
    message: &'p Message,
    field: &'p Field,
    since: &'p str,
}

/// Returns the source of the table, with a line for each field.
pub(super) fn emit(history: &History) -> Result<String, Error> {
    let mut rows = Vec::new();
    if let Some(newest) = history.revisions().last() {
        let protocol = newest.protocol()?;
        rows = young(history, protocol)?;
        add_leading(history, protocol, &mut rows)?;
        let place = |row: &LaterField<'_>| {
            protocol.messages.iter().position(|message| message.name == row.message.name)
        };
        rows.sort_by_key(|row| (place(row), row.field.number));
    }
    let written: String = rows.iter().map(|row| written(row, &rows)).collect();
    Ok(format!(
        "use super::MessageField;

/// The fields of messages sent by plugins and runtimes that are newer than their message, and those
/// that lead to them.
pub const FIELDS: &[MessageField] = &[
{written}];
"
    ))
}

/// Returns the fields of sent messages that the first revision with the message lacks.
fn young<'h>(history: &'h History, protocol: &'h Protocol) -> Result<Vec<LaterField<'h>>, Error> {
    let mut rows = Vec::new();
    for message in sent(protocol) {
        let oldest = first_with(history, &message.full_name)?;
        for field in &message.fields {
            match first_with(history, &field.full_name)? {
                Some(since) if Some(since) != oldest => {
                    rows.push(LaterField { message, field, since })
                }
                _ => {}
            }
        }
    }
    Ok(rows)
}

/// Adds the fields that hold a message with a row, until there are no more.
fn add_leading<'h>(
    history: &'h History,
    protocol: &'h Protocol,
    rows: &mut Vec<LaterField<'h>>,
) -> Result<(), Error> {
    loop {
        let mut found = Vec::new();
        for message in sent(protocol) {
            for field in &message.fields {
                let known = rows.iter().any(|row| row.field.full_name == field.full_name);
                if !known && of(field, rows).is_some() {
                    let since = first_with(history, &field.full_name)?.unwrap_or_default();
                    found.push(LaterField { message, field, since });
                }
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        rows.append(&mut found);
    }
}

/// Returns the messages that plugins and runtimes send: requests and answers of both services, and
/// nested messages.
fn sent(protocol: &Protocol) -> Vec<&Message> {
    let services = ["Plugin", "Runtime"].map(|name| protocol.service(name));
    let rpcs = services.into_iter().flatten().flat_map(|service| &service.rpcs);
    let mut open: Vec<&Message> = rpcs
        .flat_map(|rpc| [&rpc.input, &rpc.output])
        .filter_map(|name| protocol.message(name))
        .collect();
    let mut sent: Vec<&Message> = Vec::new();
    while let Some(message) = open.pop() {
        if !sent.iter().any(|known| known.full_name == message.full_name) {
            let held = message.fields.iter().filter_map(|field| held(&field.kind));
            open.extend(held.filter_map(|name| protocol.message(name)));
            sent.push(message);
        }
    }
    sent
}

/// The full name of the message in a field; for a map, of its values.
fn held(kind: &FieldKind) -> Option<&str> {
    match kind {
        FieldKind::Message(name) => Some(name),
        FieldKind::Map { value, .. } => held(value),
        FieldKind::Scalar(_) | FieldKind::Enum(_) => None,
    }
}

/// Returns the message that a field holds, if that has a row.
fn of<'r>(field: &Field, rows: &'r [LaterField<'_>]) -> Option<&'r str> {
    let held = held(&field.kind)?;
    let row = rows.iter().find(|row| row.message.full_name == held)?;
    Some(&row.message.name)
}

fn written(row: &LaterField<'_>, rows: &[LaterField<'_>]) -> String {
    let LaterField { field, since, .. } = row;
    let (message, name, number) = (&row.message.name, &field.name, field.number);
    let of = of(field, rows);
    let is_map = matches!(field.kind, FieldKind::Map { .. });
    format!(
        "    MessageField {{ message: {message:?}, name: {name:?}, number: {number}, since: {since:?}, of: {of:?}, is_map: {is_map} }},\n"
    )
}
