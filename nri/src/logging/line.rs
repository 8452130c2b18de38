//! The text of an event: its message, followed by its fields.

use std::fmt::{self, Debug, Write};

use tracing::Event;
use tracing::field::{Field, Visit};

/// An event as text.
#[derive(Default)]
pub(super) struct Line {
    message: String,
    fields: String,
}

impl Line {
    pub(super) fn of(event: &Event<'_>) -> Self {
        let mut line = Line::default();
        event.record(&mut line);
        line
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            self.record_debug(field, &value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.message, self.fields)
    }
}
