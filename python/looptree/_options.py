"""What holds for all calls within a `with`: what is told of copies, and whether progress is shown."""
from __future__ import annotations

import contextlib
import contextvars
import warnings
from collections.abc import Iterator

from ._errors import refuse

_copies: contextvars.ContextVar[str] = contextvars.ContextVar("looptree.copies", default="allow")
_progress: contextvars.ContextVar[bool | str] = contextvars.ContextVar("looptree.progress", default="auto")


@contextlib.contextmanager
def options(*, copies: str | None = None, progress: bool | str | None = None) -> Iterator[None]:
    """Within it, other rules hold; what is not named, or None, stays as it is.

    copies: copies of arguments that had to be made are allowed ("allow"), told of ("warn") or refused ("error").
    progress: whether compile, verify, time and profile show a bar when they take longer than half a second: on a
    terminal and in a notebook ("auto"), always, as lines on stderr where that is no terminal (True), or never (False).

        with lt.options(copies="warn", progress=False):
            p(x=a.T)
    """
    if copies not in ("allow", "warn", "error", None):
        raise refuse("Invalid", "copies is one of 'allow', 'warn' and 'error', not %r" % (copies,))
    if not (progress is None or isinstance(progress, bool) or isinstance(progress, str) and progress == "auto"):
        raise refuse("Invalid", "progress is one of 'auto', True and False, not %r" % (progress,))
    set_copies = _copies.set(_copies.get() if copies is None else copies)
    set_progress = _progress.set(_progress.get() if progress is None else progress)
    try:
        yield
    finally:
        _copies.reset(set_copies)
        _progress.reset(set_progress)


def progress_asked() -> bool | str:
    return _progress.get()


def tell_copy(name: str, why: str) -> None:
    how = _copies.get()
    if how == "warn":
        warnings.warn("%s is copied: %s" % (name, why), stacklevel=5)
    elif how == "error":
        raise refuse("Invalid", "%s would be copied: %s; options(copies=...) refuses that" % (name, why))
