"""Holds the bills of materials of a release against their formats, and against what a program depends on.

Usage: bills.py PROGRAM CYCLONEDX SPDX
"""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

# Crates without which the programs could not work.
CRATES = {
    "nri-compat": {"clap", "nri-schema", "object", "ring"},
    "nri-bridge": {"lexopt", "nri", "tokio"},
}


def main(program, cyclonedx, spdx):
    crates = CRATES[program]
    text = pathlib.Path(cyclonedx).read_text()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    names = {component["name"] for component in json.loads(text)["components"]}
    assert crates <= names, crates - names
    document = parse_file(spdx)
    messages = validate_full_spdx_document(document)
    assert not messages, messages[:3]
    names = {package.name for package in document.packages}
    assert crates <= names, crates - names
    print(f"{len(names)} crates in both bills")


main(*sys.argv[1:])
