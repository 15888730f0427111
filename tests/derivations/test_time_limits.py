"""A limit of time is the one thing that a limit raises, wherever it strikes, and leaves nothing behind."""

from __future__ import annotations

import signal

import pytest
from flint import acb

from noiseproof.symbolic.proof.enclosed_integral import integral_between
from noiseproof.symbolic.proof.time_limit import OutOfTimeError, time_limit


def integrate_on(seconds: float) -> None:
    with time_limit(seconds, "a step"):
        while True:
            integral_between(lambda z, _: z.sin(), acb(0), acb(100))


@pytest.mark.parametrize("first", [1e-6, 1e-3])
def test_a_limit_that_strikes_where_arb_calls_is_a_limit(first: float) -> None:
    """Without the mend half of two hundred limits left as a SystemError, and one that struck at once was never lifted."""
    before = signal.getsignal(signal.SIGALRM)
    for k in range(200):
        with pytest.raises(OutOfTimeError, match="a step"):
            integrate_on(first + k * 1e-5)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) is before
