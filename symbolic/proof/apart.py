"""Work that may never end, such as sympy's, in a process of its own that is killed as a whole."""

from __future__ import annotations

import copyreg
import io
import os
import resource
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import cloudpickle
import sympy as sp
import sympy.physics.units  # which sympy's simplify imports: once here, not in every fork
from flint import acb, arb, ctx

from .work import read_effort, spend, spent

T = TypeVar("T")
# Processor seconds: a safety net, no budget.  The longest step of a test or a documented example needs half of them.
NET = 40
MOST_STOPPED = 3  # processes of one question that may be stopped at the net; the next step is not begun
_OPERATIONS, _SYMBOLS, _DEGREE = 60, 4, 6
_PARTS = b"parts"  # what a process says before it starts on a part that is apart itself
_place = threading.local()
_DUMMIES = 1_000_000  # names that a process may take for itself


@contextmanager
def net_of(effort: Any) -> Iterator[None]:
    """Inside, the effort scales the limit on processor time, and few steps may be stopped at it.

    ValueError for what is no effort.
    """
    before, stops = getattr(_place, "net", None), getattr(_place, "stops", None)
    _place.net, _place.stops = max(1, round(NET * read_effort(effort))), stops or 0
    try:
        yield
    finally:
        _place.net, _place.stops = before, None if stops is None else _place.stops


def _net() -> int:
    return getattr(_place, "net", None) or NET


class UnfinishedError(Exception):
    """Work that was stopped at the limit on processor time; the text says at which step."""


def apart(work: Callable[[], T], step: str, *, here: bool = False) -> T:
    """What `work` returns or raises, computed in a fork of this process: what it leaves half-done ends with it.

    UnfinishedError where it needs more processor time than the limit; RuntimeError where its process dies. It is done in
    this process, without a net, where it is known to end (`here`), and where there is no fork. Parts of the work that are
    apart themselves stay in its process at first; only where that does not end, each gets its own.
    """
    if here or not hasattr(os, "fork"):
        return work()
    if getattr(_place, "together", False):
        if _place.into is not None:
            os.write(_place.into, _PARTS)
            _place.into = None
        return work()
    stops = getattr(_place, "stops", None)
    if stops is not None and stops >= MOST_STOPPED:
        raise UnfinishedError(
            f"{step} was not begun: {stops} steps before it were stopped at the limit of processor time"
        )
    try:
        return _forked(work, step, True)
    except _PartUnfinishedError:
        return _forked(work, step, False)


def at_once(work: Callable[[], T], effort: Any = 1.0) -> T:
    """What a question's `work` returns: its parts share a process and what they found; where that does not end, each has its own."""
    with net_of(effort):
        try:
            return apart(work, "the question")
        except UnfinishedError:
            return work()


class _PartUnfinishedError(Exception):
    """Work with parts that are apart themselves was stopped at the net."""


def _forked(work: Callable[[], T], step: str, together: bool) -> T:
    out, into = os.pipe()
    before = spent()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
        child = os.fork()
    if child == 0:
        _serve(work, into, together)
    os.close(into)
    # Symbols that the other process makes are none that are made here afterwards.
    sp.Dummy._count += _DUMMIES
    ended = False
    try:
        with os.fdopen(out, "rb") as answer:
            content = answer.read()
        _, status = os.waitpid(child, 0)
        ended = True
    finally:
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        if content == _PARTS:
            raise _PartUnfinishedError
        if getattr(_place, "stops", None) is not None:
            _place.stops += 1
        raise UnfinishedError(f"{step} was stopped at the limit of {_net()} s of processor time")
    content = content.removeprefix(_PARTS)
    if status or not content:
        raise RuntimeError(f"{step}: its process ended with status {status}; run it again")
    good, value, units, stops = cloudpickle.loads(content)
    spend(units - before)
    _place.stops = stops
    if not good:
        raise value
    return value  # type: ignore[no-any-return]


def tame(e: sp.Expr) -> bool:
    """Whether an expression is a short rational function of few symbols: sympy's algebra on it ends at once."""
    return (
        len(e.free_symbols) <= _SYMBOLS
        and sp.count_ops(e) <= _OPERATIONS
        and not e.atoms(sp.Function, sp.Piecewise)
        and all(p.exp.is_Integer and abs(p.exp) <= _DEGREE for p in e.atoms(sp.Pow))
    )


def _serve(work: Callable[[], Any], into: int, together: bool) -> None:
    """The other process: never returns."""
    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        limit = _net() if most == resource.RLIM_INFINITY else min(_net(), most)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _place.together, _place.into = together, into
        try:
            content = packed((True, work(), spent(), getattr(_place, "stops", None)))
        except Exception as error:
            content = packed((False, error, spent(), getattr(_place, "stops", None)))
        with os.fdopen(into, "wb") as answer:
            answer.write(content)
        code = 0
    finally:
        os._exit(code)


def packed(value: Any) -> bytes:
    """The value in bytes, formulas as they are written: pickled by sympy itself they would be evaluated."""

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, item: Any) -> Any:
            if isinstance(item, sp.Basic) and item.args and not isinstance(item, sp.MatrixBase | sp.Atom):
                return _written, (type(item), item.args, _slots_of(item))
            if item is ctx:  # the precision of a process, which a closure names
                return _context, ()
            return super().reducer_override(item)

    content = io.BytesIO()
    Pickler(content).dump(value)
    return content.getvalue()


def _context() -> Any:
    return ctx


def _slots_of(item: sp.Basic) -> dict[str, Any]:
    names = {name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ())}
    return {
        n: getattr(item, n) for n in sorted(names - {"_args", "_mhash", "_assumptions"}) if hasattr(item, n)
    }


def _written(kind: type[sp.Basic], args: tuple[Any, ...], slots: dict[str, Any]) -> sp.Basic:
    """A formula with these arguments, not evaluated."""
    item = sp.Basic.__new__(kind, *args)
    for name, value in slots.items():
        setattr(item, name, value)
    return item


def _ball(middle: Any, radius: Any) -> arb:
    if radius == "inf" or radius[0] == 0:
        return arb(middle, arb(0) if radius != "inf" else arb("inf"))
    mantissa, exponent = radius
    shift = 30 - mantissa.bit_length()  # a radius has 30 bits, and Arb adds one to the last of them
    return arb(middle, arb((2 * (mantissa << shift) - 1, exponent - shift - 1)))


def _reduce_ball(ball: arb) -> Any:
    middle, radius = ball.mid(), ball.rad()
    if ball.is_nan() or (middle.is_finite() and radius.is_finite()):
        return (arb.nan, ()) if ball.is_nan() else (_ball, (_exact(middle), _exact(radius)))
    if middle.is_finite():
        return _ball, (0, "inf")
    return (arb.pos_inf if ball > 0 else arb.neg_inf), ()


def _exact(value: arb) -> tuple[int, int]:
    mantissa, exponent = value.man_exp()
    return int(mantissa), int(exponent)


copyreg.pickle(arb, _reduce_ball)
copyreg.pickle(acb, lambda z: (acb, (z.real, z.imag)))
