"""Holds the bills of materials of a release against their formats, and against what the command depends on.

Usage: bills.py CYCLONEDX SPDX
"""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

# Crates without which the command could not work.
CRATES = {"clap", "nri-schema", "object", "ring"}


def main(cyclonedx, spdx):
    text = pathlib.Path(cyclonedx).read_text()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    names = {component["name"] for component in json.loads(text)["components"]}
    assert CRATES <= names, CRATES - names
    document = parse_file(spdx)
    messages = validate_full_spdx_document(document)
    assert not messages, messages[:3]
    names = {package.name for package in document.packages}
    assert CRATES <= names, CRATES - names
    print(f"{len(names)} crates in both bills")


main(*sys.argv[1:])
