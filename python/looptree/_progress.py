"""Bars of progress, where a person looks: on a terminal, and in a notebook.

A bar begins when what it tells of has taken half a second, is drawn ten times a second at most, and is taken away at
the end.  Only the main thread draws: lines of several would be mixed.
"""
from __future__ import annotations

import contextlib
import html
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from ._options import progress_asked

AFTER_S, EVERY_S = 0.5, 0.1


class _Lines:
    """On stderr: one line that is written over on a terminal; elsewhere a line when it begins and one at its end."""

    def __init__(self, terminal: bool):
        self.terminal, self.last = terminal, ""

    def draw(self, label: str, what: str, share: float) -> None:
        text = "%s %3.0f %%" % (label, 100 * share)
        if not self.terminal:
            if not self.last:
                print(label, file=sys.stderr, flush=True)
            self.last = text
            return
        width = max(20, _columns() - 1)
        size = min(24, width - len(text) - len(what) - 4)
        if size >= 8:
            text += " [%s]" % ("#" * round(share * size)).ljust(size, ".")
        text = ("%s %s" % (text, what))[:width].rstrip()
        print("\r%s%s" % (text, " " * (len(self.last) - len(text))), end="", file=sys.stderr, flush=True)
        self.last = text

    def end(self, label: str, seconds: float) -> None:
        if self.terminal:
            print("\r%s\r" % (" " * len(self.last)), end="", file=sys.stderr, flush=True)
        else:
            print("%s: %.1f s" % (label, seconds), file=sys.stderr, flush=True)


class _Cell:
    """In the output of a notebook's cell."""

    def __init__(self, display: Any, kind: Any):
        self.display, self.kind, self.shown = display, kind, None

    def draw(self, label: str, what: str, share: float) -> None:
        text = self.kind("%s <progress max='1' value='%.3f'></progress> %.0f %% %s" % (
            html.escape(label), share, 100 * share, html.escape(what)))
        if self.shown is None:
            self.shown = self.display(text, display_id=True)
        else:
            self.shown.update(text)

    def end(self, label: str, seconds: float) -> None:
        if self.shown is not None:
            self.shown.update(self.kind(""))


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


def _notebook() -> _Cell | None:
    """Of a kernel of Jupyter, which has imported IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import HTML, display
    return _Cell(display, HTML)


def _place() -> _Lines | _Cell | None:
    asked = progress_asked()
    if asked is False or threading.current_thread() is not threading.main_thread():
        return None
    cell = _notebook()
    if cell is not None:
        return cell
    try:
        terminal = sys.stderr is not None and sys.stderr.isatty()
    except ValueError:                  # it is closed
        return None
    return _Lines(terminal) if terminal or asked is True and sys.stderr is not None else None


class _Bar:
    def __init__(self, label: str, place: _Lines | _Cell):
        self.label, self.place, self.began = label, place, time.monotonic()
        self.next, self.drawn, self.ended = self.began + AFTER_S, False, False

    def tell(self, what: str, share: float) -> None:
        now = time.monotonic()
        if now < self.next or self.ended:
            return
        self.next, self.drawn = now + EVERY_S, True
        with self._drawing():
            self.place.draw(self.label, what, min(1.0, max(0.0, share)))

    def end(self) -> None:
        if self.drawn and not self.ended:
            with self._drawing():
                self.place.end(self.label, time.monotonic() - self.began)
        self.ended = True

    @contextlib.contextmanager
    def _drawing(self) -> Iterator[None]:
        """A terminal that is gone is no reason to end what is under way."""
        try:
            yield
        except (OSError, ValueError):
            self.ended = True


def counted(tell: Callable[[str, float], None]) -> Callable[[int, int], None]:
    """The same function for (done, total)."""
    return lambda done, total: tell("%d of %d" % (done, total), done / total if total > 0 else 0.0)


def _as_it_is(tell: Callable[[str, float], None]) -> Callable[..., None]:
    return tell


@contextlib.contextmanager
def shown(label: str, own: Callable[..., object] | None = None,
          adapted: Callable[[Callable[[str, float], None]], Callable[..., None]] = _as_it_is,
          ) -> Iterator[Callable[..., object] | None]:
    """What to call with (what, share from 0 to 1), or as `adapted`: the caller's own function, or a bar's; None where
    nobody looks."""
    place = _place() if own is None else None
    if place is None:
        yield own
        return
    bar = _Bar(label, place)
    try:
        yield adapted(bar.tell)
    finally:
        bar.end()
