"""The Python door: wrong types, classes for objects, arguments in the wrong order."""

from __future__ import annotations

from .case import PYTHON, Case

_LAPLACE = "npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)"
_BOX = "npf.BlackBox(lambda data, size, rng: rng.laplace(data, 1.0, size), (0, 1))"


def _case(name: str, line: str, fine: bool = False, **files: str | bytes) -> Case:
    return Case(name, line, files=files, how=PYTHON, fine=fine)


def _examine(
    name: str,
    claims: str = "npf.PureDP(1.0)",
    options: str = "samples=400",
    box: str = _BOX,
    fine: bool = False,
) -> Case:
    return _case(name, f"npf.examine({box}, {claims}, {options})", fine)


def _release(name: str, body: str, fine: bool = False) -> Case:
    return _examine(name, box=f"npf.BlackBox(lambda data, size, rng: {body}, (0, 1))", fine=fine)


PYTHON_CASES = [
    _examine("a number for a claim", "1.0"),
    _examine("a text for a claim", "'pure-dp'"),
    _examine("a class for a claim", "npf.PureDP"),
    _examine("nothing for a claim", "None"),
    _examine("a list of claims with a number", "[npf.PureDP(1.0), 2]"),
    _examine("no claims", "[]", fine=True),
    _examine("a number for a subject", box="3.0"),
    _examine("a class for a subject", box="npf.LaplaceMechanism"),
    _examine("a function for a subject", box="lambda x: x"),
    _examine("samples as a text", options="samples='400'"),
    _examine("half a sample", options="samples=400.5"),
    _examine("no samples", options="samples=0"),
    _examine("samples of nan", options="samples=float('nan')"),
    _examine("alpha of zero", options="samples=400, alpha=0"),
    _examine("alpha as a text", options="samples=400, alpha='5%'"),
    _examine("alpha of nan", options="samples=400, alpha=float('nan')"),
    _examine("a generator for a seed", options="samples=400, seed=np.random.default_rng(1)"),
    _examine("a text for a seed", options="samples=400, seed='one'"),
    _examine("a negative seed", options="samples=400, seed=-1"),
    _examine("negative seconds", options="seconds=-1"),
    _examine("seconds as a text", options="seconds='5'"),
    _examine("workers as a text", options="samples=400, workers='all'"),
    _examine("no workers", options="samples=400, workers=0"),
    _examine("an option that is not there", options="sample=400"),
    _examine("a checkpoint that is a number", options="samples=400, checkpoint=3"),
    _examine("a title that is a number", options="samples=400, title=3"),
    _release("a release of nothing", "None"),
    _release("a release of one text", "'x'"),
    _release("a release that is too short", "np.zeros(3)"),
    _release("a release of a generator", "(x for x in range(size))"),
    _release("a release of a set", "{1, 2}"),
    _release("a release that divides by zero", "1 / 0"),
    _release("a release of a class", "int"),
    _case("a black box of a number", "npf.BlackBox(3, (0, 1))"),
    _case(
        "a black box with one input",
        "npf.examine(npf.BlackBox(lambda d, size, rng: np.zeros(size), (0,)), npf.PureDP(1.0), samples=400)",
    ),
    _case("a black box with a number for inputs", "npf.BlackBox(lambda d, size, rng: np.zeros(size), 3)"),
    _case("epsilon as a text", "npf.PureDP('1')"),
    _case("epsilon below zero", "npf.PureDP(-1)"),
    _case("epsilon of nan", "npf.PureDP(float('nan'))"),
    _case("epsilon as a list", "npf.PureDP([1.0])"),
    _case("epsilon as None", "npf.PureDP(None)"),
    _case("epsilon as an array", "npf.PureDP(np.ones(2))"),
    _case("epsilon as a complex number", "npf.PureDP(1j)"),
    _case("no epsilon", "npf.PureDP()"),
    _case("delta above one", "npf.ApproxDP(1.0, 2.0)"),
    _case("delta as a text", "npf.ApproxDP(1.0, '1e-5')"),
    _case("mu below zero", "npf.GaussianDP(-1.0)"),
    _case("a Renyi order below one", "npf.RenyiDP(0.5, 1.0)"),
    _case("rho of infinity", "npf.ZeroConcentratedDP(float('inf'))"),
    _case("a mechanism without noise", "npf.LaplaceMechanism(epsilon=float('inf'), sensitivity=1.0)"),
    _case(
        "a mechanism with an exact number as a text",
        "npf.LaplaceMechanism(epsilon='1', sensitivity=1.0)",
        fine=True,
    ),
    _case("a mechanism with a list", "npf.LaplaceMechanism(epsilon=[1], sensitivity=1.0)"),
    _case("a mechanism of dimension zero", "npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0, dimension=0)"),
    _case(
        "a mechanism of half a dimension", "npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0, dimension=1.5)"
    ),
    _case("a covariance that is not symmetric", "npf.GaussianMechanism(covariance=[[1, 2], [0, 1]])"),
    _case("a covariance that is not positive", "npf.GaussianMechanism(covariance=[[1, 2], [2, 1]])"),
    _case("a covariance that is not square", "npf.GaussianMechanism(covariance=[[1, 2]])"),
    _case("a covariance as a text", "npf.GaussianMechanism(covariance='eye')"),
    _case("a ragged covariance", "npf.GaussianMechanism(covariance=[[1, 0], [0]])"),
    _case("an empty covariance", "npf.GaussianMechanism(covariance=[])"),
    _case("randomised response with an exact number as a text", "npf.RandomisedResponse('1')", fine=True),
    _case("a box the wrong way", "npf.Box([1], [0])"),
    _case("a box of two lengths", "npf.Box([0, 0], [1])"),
    _case("a box of texts", "npf.Box(['a'], ['b'])"),
    _case("a box of None", "npf.Box(None, None)"),
    _case("a box of nan", "npf.Box([float('nan')], [1])"),
    _case("a ball of negative radius", "npf.Ball(2, -1.0)"),
    _case("a simplex of no dimension", "npf.Simplex(0)"),
    _case("categories as a number", "npf.Categorical(3)"),
    _case("no categories", "npf.Categorical([])"),
    _case("the same category twice", "npf.Categorical(['a', 'a'])"),
    _case("samples for epsilon as a number", "npf.sample_size(1.0)"),
    _case("samples for no claim", "npf.sample_size(npf.PureDP(1.0), resolution=1.0)"),
    _case("resolution for no claim", "npf.resolution_at(npf.PureDP(1.0), samples=0)"),
    _case("neighbours of a number", "npf.search_neighbours(3)"),
    _case("neighbours without an adjacency", f"npf.search_neighbours({_LAPLACE}, None)"),
    _case("an optimal noise of nothing", "npf.optimal_noise(None)"),
    _case("an optimal noise of a text", "npf.optimal_noise('laplace')"),
    _case("a law without a density", "npf.Law('exp(-x)')"),
    _case("a claim of a number", "npf.Claim(1.0)"),
    _case("a scope of a number", "npf.Claim(npf.PureDP(1.0), scope=3)"),
    _case("a family of a number", "npf.Family(3, None, 0.5)", fine=True),
    _case("a certificate from a text", "npf.Certificate.from_json('no')"),
    _case("a certificate from half a file", "npf.Certificate.from_json('{\"title\": ')"),
    _case("a certificate from a number", "npf.Certificate.from_json(3)"),
    _case("a certificate from a list", "npf.Certificate.from_data([])"),
    _case("a bounded mean without a count", "npf.BoundedMean([1.0], None, epsilon=1.0)"),
    _case("a bounded mean of texts without a count", "npf.BoundedMean(['a'], (0, 1), epsilon=1.0)"),
    _case("a mutant without a release", "npf.Mutant(3)"),
    _case("information as an exact text", "npf.FisherInformation('1')", fine=True),
    _case("an error bound below zero", "npf.ErrorBound(-1.0)"),
]
