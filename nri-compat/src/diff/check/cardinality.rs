//! How often a field may stand in a message.

use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Cardinality, Field};
use super::super::sink::Sink;

pub(in super::super) fn same(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    check(pairs, fields, sink, |cardinality| cardinality);
}

/// JSON writes one value, an array and an object; presence does not show.
pub(in super::super) fn wire_json(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    check(pairs, fields, sink, |cardinality| match cardinality {
        Cardinality::Implicit => Cardinality::Explicit,
        other => other,
    });
}

/// Compares how fields are encoded. A map is encoded as a list of its entries.
pub(in super::super) fn wire(pairs: &Pairs<'_>, fields: Pair<'_, Field>, sink: &mut Sink) {
    check(pairs, fields, sink, |cardinality| match cardinality {
        Cardinality::Implicit => Cardinality::Explicit,
        Cardinality::Map => Cardinality::Repeated,
        other => other,
    });
}

/// Compares what `group` makes of both sides. The fields of map entries are written by the compiler.
fn check(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
    group: fn(Cardinality) -> Cardinality,
) {
    let in_map_entries = old.in_map_entry && new.in_map_entry;
    if !in_map_entries && group(old.cardinality) != group(new.cardinality) {
        let [before, after] = [old, new].map(|field| words(field.cardinality));
        let message = format!(
            "{} changed cardinality from {before} to {after}",
            super::field(new)
        );
        sink.add(pairs.declared(&new.id), &new.id.full, message);
    }
}

const fn words(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::Explicit => "optional with presence",
        Cardinality::Implicit => "optional without presence",
        Cardinality::Required => "required",
        Cardinality::Repeated => "repeated",
        Cardinality::Map => "map",
    }
}
