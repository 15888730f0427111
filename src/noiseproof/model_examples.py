"""Models that `noiseproof derive --example` and `init --kind model` write: each runs as it is."""

from __future__ import annotations

_HEAD = """\
# A model: the law of what is released, about one record or many.
# Derive it with:  noiseproof derive THIS_FILE
# Exit code 0: derived and checked; 1: there is no Fisher information; 4: something is unknown.
"""

COMMENTED = (
    _HEAD
    + """
[model]
name = "waiting time"
# A formula in the variable and the parameters: + - * / **, and exp, log, sqrt, abs, gamma, beta, erf, cos, ...
# Numbers are read as the decimals that are written: 0.1 is one tenth.
density = "shape/scale*(y/scale)**(shape - 1)*exp(-(y/scale)**shape)"
variable = "y"
support = [0, "oo"]       # "-oo" for no lower end; an end may be a formula in the parameters
# discrete = true         # counts: a mass on whole numbers
# copies = 10             # so many independent outcomes, which make one vector

# Other laws instead of a density:
#   kind = "normal"       with mean = ["mu", "mu"] and covariance = [["s**2", 0], [0, "s**2"]]
#   kind = "multinomial"  with trials = 5 and probabilities = ["p", "1 - p"]
#   kind = "dirichlet"    with exponents = ["a", "b"]
#   function = "my_module:law"   a Law or JointLaw that Python code returns

# One table for each name in the formula that is not the variable. What is derived holds on the whole domain.
[model.parameters.scale]
domain = [0, "oo"]        # between the ends, which do not belong to it

[model.parameters.shape]
domain = [0, "oo"]
# integer = true          # whole numbers only

[derive]
information = ["scale", "shape"]     # default: all parameters
at = { scale = 2, shape = 1.5 }      # for numbers and figures
observations = 1                     # independent observations of the law
seconds = 30                         # limit of each derivation
"""
)

GAUSSIAN = (
    _HEAD
    + """
# One number of a record, released with normal noise. What does it tell about the number, and what if the noise is secret too?

[model]
name = "a value with normal noise"
density = "exp(-(y - value)**2/(2*sigma**2))/(sigma*sqrt(2*pi))"
support = ["-oo", "oo"]

[model.parameters.value]
domain = ["-oo", "oo"]

[model.parameters.sigma]
domain = [0, "oo"]

[derive]
at = { value = 0, sigma = 2 }
"""
)

EXPONENTIAL = (
    _HEAD
    + """
# A time between two visits, released as it is. What does it tell about the person's rate?

[model]
name = "a waiting time"
density = "rate*exp(-rate*y)"
support = [0, "oo"]

[model.parameters.rate]
domain = [0, "oo"]

[derive]
at = { rate = 0.5 }
observations = 10
"""
)

ROUNDED = (
    _HEAD
    + """
# The same value with normal noise, rounded to whole numbers before it is released: the mass of k is what lies within 1/2 of it.

[model]
name = "a rounded value with normal noise"
density = "(erf((k + 0.5 - value)/(sqrt(2)*0.7)) - erf((k - 0.5 - value)/(sqrt(2)*0.7)))/2"
variable = "k"
support = ["-oo", "oo"]
discrete = true

[model.parameters.value]
domain = ["-oo", "oo"]

[derive]
at = { value = 0.3 }
"""
)

REGRESSION = (
    _HEAD
    + """
# Four answers that follow a line in a public covariate, with normal noise. What do they tell about the line?

[model]
name = "a regression with four answers"
kind = "normal"
mean = ["intercept - slope", "intercept", "intercept + slope", "intercept + 3*slope"]
covariance = [
  ["sigma**2", 0, 0, 0],
  [0, "sigma**2", 0, 0],
  [0, 0, "sigma**2", 0],
  [0, 0, 0, "sigma**2"],
]

[model.parameters.intercept]
domain = ["-oo", "oo"]

[model.parameters.slope]
domain = ["-oo", "oo"]

[model.parameters.sigma]
domain = [0, "oo"]

[derive]
at = { intercept = 1, slope = 0.5, sigma = 2 }
"""
)

EXAMPLES = {"gaussian": GAUSSIAN, "exponential": EXPONENTIAL, "rounded": ROUNDED, "regression": REGRESSION}
