//! Writing a manifest at compile time.

use super::{MAGIC, MAX_LEN};
use crate::api::EventMask;
use crate::plugin::facts::{Fact, events};

/// The content of a manifest. Written by `#[derive(NriPlugin)]`.
#[derive(Clone, Copy)]
pub struct Description {
    /// Name of the plugin; nothing in it needs escaping.
    pub name: Option<&'static str>,
    /// Index of the plugin, two digits.
    pub index: Option<&'static str>,
    /// Newest NRI release that the plugin knows.
    pub protocol: &'static str,
    /// Oldest NRI release that the plugin is meant for.
    pub min_protocol: Option<&'static str>,
    /// Which RPCs it handles.
    pub facts: &'static [Fact],
    /// The events that it refuses to run without.
    pub required: EventMask,
}

const HEADER: usize = MAGIC.len() + 4;

impl Description {
    /// Bytes that the manifest takes, marker and length included.
    pub const fn size(&self) -> usize {
        HEADER + self.text(Text::<0>::new()).length
    }

    /// The manifest, marker and length included. `N` has to be [`size`](Self::size).
    pub const fn render<const N: usize>(&self) -> [u8; N] {
        let length = N - HEADER;
        assert!(
            length <= MAX_LEN,
            "the manifest is too long: shorten the plugin's name"
        );
        let mut text = Text::<N>::new();
        text = text.bytes(&MAGIC).bytes(&(length as u32).to_le_bytes());
        self.text(text).bytes
    }

    const fn text<const N: usize>(&self, text: Text<N>) -> Text<N> {
        let text = text.str("{\"format\":1,\"name\":").optional(self.name);
        let text = text.str(",\"index\":").optional(self.index);
        let text = text.str(",\"nri\":").quoted(env!("CARGO_PKG_VERSION"));
        let text = text.str(",\"protocol\":").quoted(self.protocol);
        let text = text.str(",\"min_protocol\":").optional(self.min_protocol);
        let text = text
            .str(",\"events\":")
            .events(self.facts, events(self.facts));
        let text = text.str(",\"required\":").events(self.facts, self.required);
        text.str(",\"deprecated\":").deprecated(self.facts).str("}")
    }
}

/// Text under construction: counts its length, and keeps what fits into `N`.
#[derive(Clone, Copy)]
struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    const fn new() -> Self {
        Text {
            bytes: [0; N],
            length: 0,
        }
    }

    const fn bytes(mut self, bytes: &[u8]) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            if self.length < N {
                self.bytes[self.length] = bytes[at];
            }
            self.length += 1;
            at += 1;
        }
        self
    }

    const fn str(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    const fn quoted(self, text: &str) -> Self {
        self.str("\"").str(text).str("\"")
    }

    const fn optional(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.quoted(text),
            None => self.str("null"),
        }
    }

    /// A comma, but for the first element of a list.
    const fn element(self, first: bool, text: &str) -> Self {
        self.str(if first { "" } else { "," }).quoted(text)
    }

    const fn events(mut self, facts: &[Fact], mask: EventMask) -> Self {
        self = self.str("[");
        let (mut at, mut first) = (0, true);
        while at < facts.len() {
            if let (Some(event), Some(name)) = (facts[at].rpc.event, facts[at].rpc.event_name)
                && mask.contains(event)
            {
                self = self.element(first, name);
                first = false;
            }
            at += 1;
        }
        self.str("]")
    }

    const fn deprecated(mut self, facts: &[Fact]) -> Self {
        self = self.str("[");
        let (mut at, mut first) = (0, true);
        while at < facts.len() {
            if facts[at].handled && facts[at].rpc.deprecated.is_some() {
                self = self.element(first, facts[at].rpc.name);
                first = false;
            }
            at += 1;
        }
        self.str("]")
    }
}
