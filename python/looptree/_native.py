"""The C interface (include/lt/lt.h) by ctypes, from the facts that its headers state: structs, prototypes, values.

_facts.txt is written by scripts/facts.sh when the package is built, and is the only description there is: a member or
a function that the headers do not have is an AttributeError.

A context is used by one thread at a time.  Context.call waits for it, with the GIL released, and turns what fails into
exceptions; what is freed while a call is under way is freed when that ends.
"""
from __future__ import annotations

import ctypes
import functools
import glob
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from . import _core

_HERE = os.path.dirname(os.path.abspath(__file__))


def _library() -> ctypes.CDLL:
    for pattern in ("lib/liblooptree.so.*", "../../liblooptree.so.[0-9]"):
        found = sorted(glob.glob(os.path.join(_HERE, pattern)))
        if found:
            return ctypes.CDLL(found[0])
    raise ImportError("looptree: liblooptree.so is not in the package; install it again")


library = _library()

# ---- facts ----

_structs: dict[str, list[tuple[str, str]]] = {}
_functions: dict[str, tuple[str, list[str]]] = {}
values: dict[str, int] = {}                     # enumerators, "LT_F32"

with open(os.path.join(_HERE, "_facts.txt"), encoding="ascii") as _file:
    for _line in _file:
        _kind, _rest = _line.rstrip("\n").split(" ", 1)
        if _kind == "struct":
            _name, _, _member, _type = _rest.split(" ", 3)
            _structs.setdefault(_name, []).append((_member, _type))
        elif _kind == "enum":
            _, _name, _value = _rest.split(" ", 2)
            if _value.lstrip("-").isdigit():
                values[_name] = int(_value)
        elif _kind == "decl":
            _match = re.match(r"(.*?)\b(lt_\w+)\((.*)\)$", _rest)
            if _match and not _rest.startswith("typedef"):
                _functions[_match[2]] = (_match[1].strip(), re.split(r", (?![^(]*\))", _match[3]))

_NUMBERS: dict[str, Any] = {
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
    "int": ctypes.c_int, "size_t": ctypes.c_size_t, "double": ctypes.c_double, "float": ctypes.c_float,
    "lt_status": ctypes.c_int32, "lt_node": ctypes.c_int32, "lt_var": ctypes.c_int32, "lt_param": ctypes.c_int32,
    "lt_tnode": ctypes.c_int32, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "char": ctypes.c_char,
}


def _ctype(text: str) -> Any:
    """The type of a member, an argument or a result, by its words in C."""
    if "(*" in text:
        return ctypes.c_void_p
    array = re.match(r"(.*)\[(\d+)\]$", text)
    if array:
        return _ctype(array[1]) * int(array[2])
    if "*" in text:
        return ctypes.c_char_p if re.match(r"const char ?\*(?!\*|const)", text) else ctypes.c_void_p
    words = [w for w in text.split() if w != "const"]
    if words[0] == "enum":
        return ctypes.c_int
    if words[0] == "struct":
        return struct(words[1])
    return _NUMBERS.get(words[0], ctypes.c_void_p)


@functools.cache
def struct(name: str) -> Any:
    """A struct of the interface, as a class of ctypes."""
    return type(name, (ctypes.Structure,), {"_fields_": [(member, _ctype(kind)) for member, kind in _structs[name]]})


@functools.cache
def function(name: str) -> Any:
    """A function of the interface, with its prototype."""
    result, arguments = _functions[name]
    f = getattr(library, name)
    f.restype = None if result == "void" else _ctype(result)
    f.argtypes = [] if arguments == ["void"] else [
        ctypes.c_void_p if re.match(r"lt_write|lt_fill|lt_alloc", a) else _ctype(a) for a in arguments]
    return f


def sized(name: str, **members: Any) -> Any:
    """A struct whose first member is its size."""
    made = struct(name)(**members)
    made.size = ctypes.sizeof(made)
    return made


def as_dict(of: Any) -> dict[str, Any]:
    """The members of a struct that are numbers and texts."""
    found: dict[str, Any] = {}
    for name, kind in of._fields_:
        value = getattr(of, name)
        if kind is ctypes.c_char_p:
            found[name] = None if value is None else value.decode("utf-8", "backslashreplace")
        elif isinstance(value, (int, float)) and kind is not ctypes.c_void_p and name not in ("size", "reserved"):
            found[name] = value
    return found


def each(address: int | None, n: int, name: str, stride: int = 0) -> Iterator[Any]:
    """The structs, or numbers, of an array of n."""
    kind = struct(name) if name.startswith("lt_") else _NUMBERS[name]
    step = stride or ctypes.sizeof(kind)
    for i in range(n if address else 0):
        yield kind.from_address((address or 0) + i * step)


def each_of(array: Any, name: str) -> Iterator[Any]:
    """Those of a struct lt_array."""
    return each(array.at, array.n, name, array.stride)


def rows(name: str) -> list[dict[str, Any]]:
    """A table of lt/table.h or lt/schedule.h: "type", "operator", "status", "primitive"."""
    all_of = []
    for i in range(function("lt_%s_count" % name)()):
        row = sized("lt_%s_row" % name)
        function("lt_%s_at" % name)(i, ctypes.addressof(row))
        all_of.append(as_dict(row))
    return all_of


def word(value: Any, what: str) -> bytes:
    """A text or a path for a function that takes one that ends with a NUL."""
    try:
        found = os.fsencode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise _error(10, "%s is a text, not %r" % (what, value)) from error
    if b"\0" in found:
        raise _error(2, "%s has a NUL in it: %r" % (what, value))
    return found


def text_of(write: Callable[[Any, Any], Any]) -> str:
    """What a function writes that is given lt_write and its user."""
    parts: list[bytes] = []
    raised: list[BaseException] = []
    user = (parts.append, raised)
    write(_core.on_text, id(user))
    if raised:
        raise raised[0]
    return b"".join(parts).decode("utf-8", "backslashreplace")


# ---- contexts ----

class Counted:
    """What is freed when it is not referred to and nothing is left that was made of it.  Objects of a circle are
    finalized in any order, so that references alone do not say what goes first."""
    _users = 0
    _dying = False

    def use(self) -> None:
        self._users += 1

    def done(self) -> None:
        self._users -= 1
        if self._dying and not self._users:
            self._drop()

    def _drop(self) -> None:
        raise NotImplementedError

    def __reduce_ex__(self, protocol: Any) -> Any:
        from ._errors import refuse
        raise refuse("Unsupported", "what the library has made is of this process: it is neither pickled nor copied")

    def __del__(self) -> None:
        self._dying = True
        if not self._users:
            self._drop()


class Context(Counted):
    """struct lt_context, with what is to be freed when no call uses it."""

    def __init__(self) -> None:
        at = ctypes.c_void_p()
        _fail(function("lt_context_new")(ctypes.addressof(at)), "")
        self.at = at.value
        self._lock = threading.Lock()
        self._by: int | None = None
        self._dead: deque[tuple[Any, int, object]] = deque()
        self.raised: list[BaseException] = []
        self._user: tuple[None, list[BaseException]] = (None, self.raised)      # borrowed by the context
        function("lt_context_cancel")(self.at, _core.is_cancelled, id(self._user))

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a function that gives a status (an exception, if that is no LT_OK) or a value."""
        if self._by == threading.get_ident():
            raise _error(2, "a callback of a call uses what the call works on; let it return first")
        f = function(name)
        with self._lock:
            self._by = threading.get_ident()
            try:
                self._free()
                function("lt_context_clear")(self.at)
                self.raised.clear()
                found = f(*arguments)
                if self.raised:
                    raise self.raised[0]
                if _functions[name][0] == "lt_status" and found:
                    _fail(found, function("lt_context_message")(self.at).decode("utf-8", "backslashreplace"))
            finally:
                self.raised.clear()
                self._by = None
        self._free_if_idle()
        return found

    def text(self, name: str, *arguments: Any) -> str:
        """What a function writes whose last two arguments are lt_write and its user."""
        return text_of(lambda write, user: self.call(name, *arguments, write, user))

    def leave_dead(self, name: str, at: int, of: object = None) -> None:
        """Frees it when nothing uses the context, in the order in which these are called; of: what lives until then."""
        self._dead.append((function(name), at, of))
        self._free_if_idle()

    def _free(self) -> None:
        while self._dead:
            f, at, _of = self._dead.popleft()
            f(at)

    def _free_if_idle(self) -> None:
        while self._dead and self._by is None and self._lock.acquire(blocking=False):
            try:
                self._free()
            finally:
                self._lock.release()

    def _drop(self) -> None:
        if getattr(self, "at", None):
            self._free()
            function("lt_context_free")(self.at)


class Handle(Counted):
    """Something of the library's that is freed with its last reference; it keeps what it was made of."""

    def __init__(self, context: Context, at: int, free: str | None, of: object = None):
        self.context, self.at, self._free_by, self.of = context, at, free, of
        self._parents: list[Counted] = [context]
        self._parents += [h for h in (of if isinstance(of, tuple) else (of,)) if isinstance(h, Handle)]
        for parent in self._parents:
            parent.use()

    def leave(self, instances: list[int]) -> None:
        """Of a program: these instances are not used any more."""
        for at in instances:
            self.context.leave_dead("lt_instance_free", at)

    def release(self, instances: list[int]) -> None:
        """The same, of a runner that goes."""
        self.leave(instances)
        self.done()

    def _drop(self) -> None:
        if self._free_by and self.at:
            self.context.leave_dead(self._free_by, self.at, self.of)
        for parent in self._parents:
            parent.done()


def made(context: Context, name: str, free: str, *arguments: Any, of: object = None, out: int = -1) -> Handle:
    """What a function gives by a pointer to a handle, its argument number `out` from the end."""
    at = ctypes.c_void_p()
    words = list(arguments)
    words.insert(len(words) + 1 + out, ctypes.addressof(at))
    try:
        context.call(name, *words)
    except BaseException:
        if at.value:            # it was made, and a callback or Ctrl-C ends the call all the same
            context.leave_dead(free, at.value, of)
        raise
    return Handle(context, at.value or 0, free, of)


def _error(status: int, text: str) -> Exception:
    from ._errors import make
    return make(status, text)


def _fail(status: int, text: str) -> None:
    if status:
        raise _error(status, text or function("lt_status_text")(status).decode())
