//! Builds nodes from the events of the parser.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, ScalarStyle, Span};

use super::super::node::{Node, Value};
use super::{YamlError, line};

/// The maximum number of nodes of an object after expansion of all aliases. An object in a cluster
/// has at most 1.5 MiB.
const MAX_NODES: u64 = 200_000;

/// The key of the objects of a list.
const ITEMS: &str = "items";

/// A builder for the documents of a file.
#[derive(Debug, Default)]
pub(super) struct Builder {
    first_line: u32,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
}

/// An incomplete sequence or mapping.
#[derive(Debug)]
struct Open {
    line: u32,
    anchor: usize,
    weight: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<(Rc<str>, Node)>,
        key: Option<Rc<str>>,
    },
}

impl Builder {
    pub(super) fn new(first_line: u32) -> Self {
        Self {
            first_line,
            ..Self::default()
        }
    }

    /// Processes an event, and passes complete objects to `each`.
    pub(super) fn event(
        &mut self,
        event: Event<'_>,
        span: &Span,
        each: &mut dyn FnMut(&Node),
    ) -> Result<(), YamlError> {
        let line = line(&span.start, self.first_line);
        match event {
            Event::DocumentStart(..) => self.anchors.clear(),
            Event::SequenceStart(_, anchor, _) => {
                self.open(line, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, _) => self.open(
                line,
                anchor,
                Content::Map {
                    entries: Vec::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => return self.close(each),
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let node = Node {
                    line,
                    weight: 1,
                    value: scalar(&text, is_plain),
                };
                return self.complete(node, anchor, each);
            }
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                let missing = || error(line, "an alias within its own anchor");
                return self.complete(node.ok_or_else(missing)?, 0, each);
            }
            // All other events carry no data.
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, line: u32, anchor: usize, content: Content) {
        self.open.push(Open {
            line,
            anchor,
            weight: 1,
            content,
        });
    }

    fn close(&mut self, each: &mut dyn FnMut(&Node)) -> Result<(), YamlError> {
        let Some(Open {
            line,
            anchor,
            weight,
            content,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let value = match content {
            Content::List(elements) => Value::List(elements.into()),
            Content::Map { entries, .. } => Value::Map(entries.into()),
        };
        self.complete(
            Node {
                line,
                weight,
                value,
            },
            anchor,
            each,
        )
    }

    /// Adds a complete node to the enclosing one, or passes it to `each`.
    fn complete(
        &mut self,
        mut node: Node,
        anchor: usize,
        each: &mut dyn FnMut(&Node),
    ) -> Result<(), YamlError> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        if self.is_item() && node.is_map() {
            each(&node);
            node = Node {
                line: node.line,
                weight: 0,
                value: Value::Null,
            };
        }
        let Some(around) = self.open.last_mut() else {
            if !node.is_null() {
                each(&node);
            }
            return Ok(());
        };
        around.weight = around.weight.saturating_add(node.weight);
        if around.weight > MAX_NODES {
            return Err(error(
                node.line,
                &format!("more than {MAX_NODES} values in one object"),
            ));
        }
        match &mut around.content {
            Content::List(elements) => elements.push(node),
            Content::Map { entries, key } => match key.take() {
                None => *key = Some(key_of(&node)),
                Some(key) => entries.push((key, node)),
            },
        }
        Ok(())
    }

    /// Returns true if the next node is an element of the document, or of its `items`.
    fn is_item(&self) -> bool {
        match self.open.as_slice() {
            [list] => matches!(list.content, Content::List(_)),
            [root, list] => {
                let is_items =
                    matches!(&root.content, Content::Map { key: Some(key), .. } if &**key == ITEMS);
                is_items && matches!(list.content, Content::List(_))
            }
            _ => false,
        }
    }
}

/// Returns the text of a key; empty for a sequence or mapping, which no field of an object has.
fn key_of(node: &Node) -> Rc<str> {
    match &node.value {
        Value::Text(text) => Rc::clone(text),
        Value::Bool(value) => value.to_string().into(),
        Value::Null | Value::List(_) | Value::Map(_) => "".into(),
    }
}

fn scalar(text: &str, is_plain: bool) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if is_plain => Value::Null,
        "true" | "True" | "TRUE" if is_plain => Value::Bool(true),
        "false" | "False" | "FALSE" if is_plain => Value::Bool(false),
        text => Value::Text(text.into()),
    }
}

fn error(line: u32, reason: &str) -> YamlError {
    YamlError {
        line,
        reason: reason.to_owned(),
    }
}
