"""Shared code of the Python programs in this folder: options, and errors that a user can correct.

Wrong usage is one line on stderr and exit status 2; a Wrong, or a file that cannot be read or written, one line and 1.
"""
import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program():
    """Returns the name that a user types: tools/NAME, or NAME if it is installed."""
    path = pathlib.Path(sys.argv[0])
    return ("tools/" if pathlib.Path(__file__).resolve().parent.name == "tools" else "") + path.name


class Wrong(Exception):
    """An error that the user can correct: one line that names file, field and remedy."""


class Parser(argparse.ArgumentParser):
    def __init__(self, description):
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        self.exit(2, f"{program()}: {message}; see {program()} --help\n")


def whole_number(least):
    """Type of an option: an integer, `least` or more."""

    def parse(text):
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not an integer of {least} or more")
        return int(text)

    return parse


def positive(text):
    """Type of an option: a number above zero."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above zero")
    return value


def read_text(path, remedy):
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Wrong(f"{path}: not a text file; {remedy}") from None
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}; {remedy}") from None
    if not text.strip():
        raise Wrong(f"{path}: the file is empty; {remedy}")
    return text


def read_json(path, remedy):
    """Reads a file that holds one JSON object."""
    try:
        document = json.loads(read_text(path, remedy))
    except (ValueError, RecursionError) as error:
        raise Wrong(f"{path}: no JSON, or cut off: {error}; {remedy}") from None
    if not isinstance(document, dict):
        raise Wrong(f"{path}: not a JSON object; {remedy}")
    return document


def field(document, name, kind, path, remedy):
    """Returns document[name], which must have this kind: a type, or a tuple of types."""
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Wrong(f"{path}: field '{name}' is missing or of another kind; {remedy}")
    return value


def make_folder(path):
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}; name a folder that can be written to") from None
    return path


def run(main):
    """Ends the process with the exit status that `main` returns, or with the line of an error."""
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except Wrong as error:
        sys.exit(f"{program()}: {error}")
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        sys.exit(f"{program()}: {error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)
