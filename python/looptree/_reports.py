"""What programs are asked, as objects: explained, verified, timed, profiled."""
from __future__ import annotations

from typing import Any

from ._native import Handle, as_dict, each, function, struct, text_of, values


class _Row:
    def __init__(self, **members: Any):
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("this row has no '%s'; it has %s" % (name, ", ".join(self.__dict__)))

    def __repr__(self) -> str:
        return "<%s>" % ", ".join("%s=%r" % item for item in self.__dict__.items() if not isinstance(item[1], list))


class _Rows(list[_Row]):
    def to_pandas(self) -> Any:
        """A DataFrame of the rows; pandas has to be installed."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas makes a DataFrame of pandas, which is not here: pip install pandas") from error
        return pandas.DataFrame([{k: v for k, v in row.__dict__.items() if not isinstance(v, list)} for row in self])


class Explained(_Rows):
    """A row for each kernel: kernel, backend (None: none takes it), same_as, nodes, refusals, decided, text."""

    def __init__(self, program: Handle):
        super().__init__()
        import ctypes
        for i in range(function("lt_program_kernels")(program.at)):
            out = ctypes.c_void_p()
            program.context.call("lt_program_explained", program.at, i, ctypes.addressof(out))
            e = struct("lt_explained").from_address(out.value or 0)
            at = out.value
            self.append(_Row(**as_dict(e), nodes=[_Row(**as_dict(n)) for n in each(e.node, e.n_node, "lt_kernel_node")],
                             refusals=[_Row(**as_dict(r)) for r in each(e.refusal, e.n_refusal, "lt_refusal")],
                             decided=[_Row(**as_dict(d)) for d in each(e.decided, e.n_decided, "lt_decided")],
                             text=text_of(lambda write, user: function("lt_explained_print")(at, write, user))))

    def __str__(self) -> str:
        return "".join(row.text for row in self)


class Backend(_Row):
    """name, summary, usable, reason and remedy (why not), devices, options: struct lt_backend_facts."""

    def __init__(self, handle: Handle):
        f = struct("lt_backend_facts").from_address(handle.at)
        super().__init__(**as_dict(f), usable=f.score > 0,
                         options=[_Row(**as_dict(o)) for o in each(f.option, f.n_option, "lt_backend_option")],
                         devices=[_Row(**as_dict(d)) for d in each(f.device, f.n_device, "lt_device")])

    def __repr__(self) -> str:
        return "<backend %s: %s>" % (self.name, self.summary if self.usable else self.reason)


class Verified(_Row):
    """What was found (struct lt_verified): bool(v) is whether all is right; str(v) is what lt-run --verify prints."""

    def __init__(self, verifier: Handle):
        report = verifier.context.call("lt_verifier_report", verifier.at)
        found = as_dict(struct("lt_verified").from_address(report))
        verdict = {values["LT_VERDICT_" + v]: v.lower() for v in ("PASSED", "FAILED", "OPEN")}[found.pop("verdict")]
        super().__init__(verdict=verdict, **found, text=verifier.context.text("lt_verified_print", report, 0))

    def __bool__(self) -> bool:
        return bool(self.verdict == "passed")

    def __str__(self) -> str:
        return str(self.text)


class Times(_Row):
    """Times of runs in nanoseconds (struct lt_timing): median_ns, min_ns, lower_ns, upper_ns, samples ..."""

    def __init__(self, at: int):
        t = struct("lt_timing").from_address(at)
        super().__init__(**as_dict(t), samples=[s.value for s in each(t.sample_ns, t.n_sample, "double")])
        function("lt_timing_free")(at)

    @property
    def median(self) -> float:
        """In seconds."""
        return float(self.median_ns) * 1e-9

    def __str__(self) -> str:
        return "median %.4g us of %d runs, minimum %.4g us, middle half from %.4g to %.4g us" % (
            self.median_ns / 1e3, self.n_sample, self.min_ns / 1e3, self.lower_ns / 1e3, self.upper_ns / 1e3)


class Profile(_Rows):
    """A row for each step of a run: name, backend, ns, busy_ns, useful, bytes, nodes ..."""

    def __init__(self, at: int):
        super().__init__()
        p = struct("lt_profile").from_address(at)
        self.run_ns: int = p.run_ns
        for step in each(p.step, p.n_step, "lt_profile_step"):
            self.append(_Row(**as_dict(step),
                             nodes=[n.name.decode() for n in each(step.node, step.n_node, "lt_kernel_node")]))

    def __str__(self) -> str:
        return "".join("%10.3f us  %5.1f %%  %s\n" % (row.ns / 1e3, 100 * row.ns / max(1, self.run_ns), row.name)
                       for row in sorted(self, key=lambda row: -row.ns))
