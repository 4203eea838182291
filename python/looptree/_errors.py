"""What fails, as exceptions: a class for each status of the library (include/lt/status.h)."""
from __future__ import annotations

import re

from . import _core, _native

# Status -> name of the class, and what of Python's own it is, too.
_CLASSES: dict[str, tuple[str, type[Exception] | None]] = {
    "ENOMEM": ("OutOfMemory", MemoryError),
    "EINVAL": ("Invalid", ValueError),
    "EEXIST": ("Exists", None),
    "EUNSUPPORTED": ("Unsupported", None),
    "ECOMPILE": ("CompileFailed", None),
    "EDEVICE": ("DeviceFailed", None),
    "EABI": ("Incompatible", None),
    "ELOAD": ("LoadFailed", ImportError),
    "ESYNTAX": ("Syntax", ValueError),
    "ETYPE": ("Mismatch", TypeError),
    "EOVERFLOW": ("Overflow", OverflowError),
    "EIO": ("InputOutput", OSError),
    "EFAULT": ("OutOfRange", IndexError),
    "EMISSING": ("Missing", LookupError),
    "EILLEGAL": ("Illegal", None),
    "ECANCELLED": ("Cancelled", None),
    "EBUDGET": ("BudgetSpent", None),
}


class Error(Exception):
    """Whatever the library refuses.

    status: "EINVAL"; file, line, column: the place in the source, None where there is none; node, loop: of the graph
    and of the tree, or None; remedy: the nearest change that would make it work, or None.
    """
    status: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    node: str | None = None
    loop: str | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else self.status


CLASSES: dict[str, type[Error]] = {}
_BY_NUMBER: dict[int, type[Error]] = {}
for _row in _native.rows("status"):
    _number, _name, _text = _row["status"], _row["name"], _row["text"]
    if _number:
        _called, _base = _CLASSES.get(_name, (_name, None))
        _class = type(_called, (Error,) if _base is None else (Error, _base),
                      {"__doc__": "LT_%s: %s." % (_name, _text), "status": _name, "__module__": "looptree"})
        CLASSES[_called] = _BY_NUMBER[_number] = _class

# What sentences call an option of lt-run, as it is here.
_OPTION = re.compile(r"--dim (\w+)=(\d+(?:\.\.\d+)?)")
_PLACE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?: ")


def make(status: int, text: str) -> Error:
    """The exception of a status, whose sentence begins with its place where it has one."""
    text = _OPTION.sub(lambda of: "dims={'%s': %s}" % (of[1], of[2] if of[2].isdigit() else "'%s'" % of[2]), text)
    error = _BY_NUMBER.get(status, Error)(text)
    place = _PLACE.match(text)
    if place:
        error.file, error.line = place["file"], int(place["line"])
        error.column = int(place["column"]) if place["column"] else None
    node = re.search(r"%([\w.']+)", text)
    error.node = node[1] if node else None
    return error


def refuse(name: str, text: str) -> Error:
    """The exception of this class's name, for what is refused on this side."""
    return CLASSES[name](text)


_core.set_errors(make)
