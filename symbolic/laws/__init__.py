"""Laws: one density and its support, written exactly; everything else is derived from that density."""

from . import facts as facts
from . import given as given
from . import of_scipy as of_scipy
from .catalogue import (
    cosine_squared,
    discrete,
    gumbel,
    laplace,
    logistic,
    mixture,
    normal,
    student_t,
    triangular,
    truncated,
    uniform,
)
from .law import Law
