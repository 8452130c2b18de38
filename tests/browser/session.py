"""Records a session in a terminal as an SVG: runs the commands, and draws what they print in its colours.

Usage: session.py SVG FOLDER [--check]: the picture, and the folder with the command and what it checks. With --check, compares the
text of the picture with what the commands print now.
"""

import html
import os
import pathlib
import re
import subprocess
import sys

COMMANDS = ["nri-compat check plugins --target containerd@2.7", "nri-compat diff v0.12.2 v0.12.4"]
COLUMNS = 100
# Dark letters on a light ground, with enough contrast.
GROUND, TEXT = "#ffffff", "#24292f"
COLOURS = {"31": "#b3261e", "32": "#1a7f37", "33": "#8a5a00", "34": "#0550ae", "35": "#8250df", "36": "#0a6b74"}
STYLES = {"1": "font-weight:bold", "2": "fill:#57606a", "4": "text-decoration:underline"}
WIDTH, HEIGHT, MARGIN = 8.4, 18, 16
# What differs from run to run.
VARYING = re.compile(r"in [0-9.]+ m?s|[0-9.]+ [KM]iB")


def lines(folder):
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "COLUMNS": str(COLUMNS), "CLICOLOR_FORCE": "1"}
    for number, command in enumerate(COMMANDS):
        if number:
            yield ""
        yield f"\x1b[1m$ {command}\x1b[0m"
        done = subprocess.run(command.split(), cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 100) and done.stdout, (command, done)
        yield from (done.stdout + done.stderr).rstrip("\n").split("\n")


def spans(line):
    """The parts of a line, each with its style."""
    style = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not code:
            yield part, ";".join(style)
        elif code[1] in ("", "0"):
            style = []
        else:
            style += [STYLES[one] if one in STYLES else f"fill:{COLOURS[one]}" for one in code[1].split(";")]


def draw(recorded):
    height = 2 * MARGIN + HEIGHT * len(recorded)
    width = round(2 * MARGIN + WIDTH * COLUMNS)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="A session in a terminal">'
    yield f'<rect width="{width}" height="{height}" rx="6" fill="{GROUND}" stroke="#d0d7de"/>'
    yield f'<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" fill="{TEXT}">'
    for row, line in enumerate(recorded):
        y, column, text = MARGIN + HEIGHT * row + 14, 0, ""
        for part, style in spans(line):
            attribute = f' style="{style}"' if style else ""
            # Columns stay below each other, whatever the font is and does with spaces.
            for found in re.finditer(r"\S+(?: \S+)*", part):
                x, length = MARGIN + WIDTH * (column + found.start()), WIDTH * len(found[0])
                text += f'<tspan x="{x:.1f}" textLength="{length:.1f}"{attribute}>{html.escape(found[0])}</tspan>'
            column += len(part)
        if text:
            yield f'<text y="{y}">{text}</text>'
    yield "</g></svg>"


def words(picture):
    text = html.unescape(re.sub(r"<[^>]*>", " ", picture))
    return VARYING.sub("...", text).split()


def main(picture, folder, check):
    drawn = "\n".join(draw(list(lines(folder)))) + "\n"
    if not check:
        picture.write_text(drawn)
    elif words(picture.read_text()) != words(drawn):
        sys.exit(f"error: {picture} is not what the commands print: run .ci/pictures.sh")


main(pathlib.Path(sys.argv[1]), pathlib.Path(os.path.abspath(sys.argv[2])), "--check" in sys.argv)
