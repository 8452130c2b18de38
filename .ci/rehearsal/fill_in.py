"""Fills in what no longer compiles because something was added, and prints where.

Reads the messages of `cargo check --message-format json`. A pattern gets the new field as `field: _`, a message that is built
`field: Default::default()`, and a match an arm for the new variant. Prints each file with what was added.
Fails on any other error.
"""

import json
import re
import sys

# The bodies of arms that run although no plugin calls the RPC: it is not among those that open a connection.
ARMS = {"nri/src/runtime_calls.rs": "None"}

MISSING = re.compile(r"`([^`]+)`")

# Rows of macros that destructure, where the compiler names no field: the last row of a part, and what follows.
HIDDEN = "pattern requires `..` due to inaccessible fields"
ROWS = {
    "nri-adaptation/src/merge/resources.rs": (
        "    use_hierarchy => MemUseHierarchy",
        ",\n    quiesce_limit => MemQuiesceLimit",
    ),
}


def primary(message):
    return next(span for span in message["spans"] if span["is_primary"])


def pattern(text, span, names):
    """A destructuring without `..`: before its closing brace."""
    end = text.rindex(b"}", span["byte_start"], span["byte_end"])
    comma = "" if text[:end].rstrip().endswith(b",") else ","
    return end, comma + ", ".join(f" {name}: _" for name in names) + " "


def literal(text, span, names):
    """A message that is built without `..`: after its opening brace."""
    start = text.index(b"{", span["byte_start"]) + 1
    return start, "".join(f" {name}: Default::default()," for name in names)


def arm(message):
    """A match: where the compiler suggests an arm."""
    for child in message["children"]:
        for span in child["spans"]:
            if span.get("suggested_replacement"):
                return span, span["suggested_replacement"]
    sys.exit(f"no suggestion:\n{message['rendered']}")


def edit(message):
    """The file, the offset, and the text to insert there."""
    code, span = message["code"]["code"], primary(message)
    text = open(span["file_name"], "rb").read()
    # The last backticks name the type.
    names = MISSING.findall(message["message"])
    if code == "E0027":
        return span["file_name"], *pattern(text, span, names), names
    if code == "E0063":
        return span["file_name"], *literal(text, span, names[:-1]), names[:-1]
    span, added = arm(message)
    added = added.replace("todo!()", ARMS.get(span["file_name"], "todo!()"))
    return span["file_name"], span["byte_start"], added, names[:1]


def main():
    edits, places, others = {}, set(), []
    for line in sys.stdin:
        message = json.loads(line).get("message")
        if not isinstance(message, dict) or message.get("level") != "error" or not message["spans"]:
            continue
        if message["message"] == HIDDEN:
            file = primary(message)["file_name"]
            row, added = ROWS[file]
            edits.setdefault(file, {})[open(file).read().index(row) + len(row)] = added
            places.add(f"{file} a row")
            continue
        if not message["code"] or message["code"]["code"] not in ("E0004", "E0027", "E0063"):
            others.append(message["rendered"])
            continue
        file, offset, added, names = edit(message)
        # A variant without the path to its enum.
        names = [re.search(r"\w+(::\w+)?\)*$", name)[0].rstrip(")") for name in names]
        edits.setdefault(file, {})[offset] = added
        places.add(f"{file} {' '.join(names)}")
    if others:
        sys.exit("\n".join(others))
    for file, inserted in edits.items():
        text = open(file, "rb").read()
        for offset, added in sorted(inserted.items(), reverse=True):
            text = text[:offset] + added.encode() + text[offset:]
        open(file, "wb").write(text)
    print("\n".join(sorted(places)))


main()
