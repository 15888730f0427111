"""Lemmas on matrices, at random matrices of three to five rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .trial import Generator, at_most, equal, lemma

_DRAWS = 20
Matrix = np.ndarray


def _symmetric(rng: Generator, n: int = 4) -> Matrix:
    a = rng.normal(size=(n, n))
    return (a + a.T) / 2


def _definite(rng: Generator, n: int = 4) -> Matrix:
    a = rng.normal(size=(n, n))
    return a @ a.T + 0.1 * np.eye(n)


def _function(a: Matrix, f: object) -> Matrix:
    values, basis = np.linalg.eigh(a)
    return basis @ np.diag(f(values)) @ basis.T  # type: ignore[operator]


@lemma(
    "a trace of the form Tr(M' M)",
    "a squared length is not negative",
    says="Tr(M' M) >= 0 for 20 random matrices",
    falsified="Tr(M M) >= 0",
)
def trace_of_a_square(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        m = rng.normal(size=(3, 3))
        yield np.trace((m.T if true else m) @ m) >= 0


@lemma(
    "a positive definite matrix has an eigenbasis",
    says="B D B' = A with B'B = 1 from numpy's eigenvectors",
    falsified="the same of a matrix that is not symmetric",
)
def eigenbasis(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a = _definite(rng) if true else _definite(rng) @ _definite(rng)
        values, basis = np.linalg.eig(a)
        yield equal(basis.T @ basis, np.eye(4), 1e-6) and equal(basis @ np.diag(values) @ basis.T, a, 1e-6)


@lemma(
    "spectral theorem",
    says="Tr f(A) is the sum of f over the eigenvalues, f(A) commutes with A, for f(A) the root of A by Newton's iteration",
    falsified="the same of the root taken entry by entry",
)
def functions_of_a_matrix(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a = _definite(rng) + np.eye(4)
        root = _newton_root(a) if true else np.sqrt(np.abs(a))
        yield equal(np.trace(root), np.sqrt(np.linalg.eigvalsh(a)).sum(), 1e-7) and equal(
            root @ a, a @ root, 1e-7
        )


def _newton_root(a: Matrix) -> Matrix:
    y, z = a, np.eye(len(a))
    for _ in range(40):
        y, z = (y + np.linalg.inv(z)) / 2, (z + np.linalg.inv(y)) / 2
    return y


@lemma(
    "the eigenvalues u, v of G have",
    says="sums and products of roots of the eigenvalues against traces and determinants of 2 by 2 matrices",
    falsified="Tr G^(-1/2) = Tr G^(1/2)/det G",
)
def two_eigenvalues(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        g = _definite(rng, 2)
        root, det = _newton_root(g), float(np.linalg.det(g))
        u, v = np.linalg.eigvalsh(g)
        yield equal(u + v, np.trace(g)) and equal(u * v, det, 1e-7)
        yield equal(np.trace(root), np.sqrt(u) + np.sqrt(v), 1e-7)
        yield equal(np.trace(np.linalg.inv(root)), np.trace(root) / (np.sqrt(det) if true else det), 1e-6)


@lemma(
    "Kronecker products have the eigenvalues",
    "both determinants are products over these eigenvalues",
    says="eigenvalues of B (x) B, and det(1 - a B (x) B) as their product, of random symmetric B",
    falsified="the eigenvalues l_i + l_j",
)
def kronecker_eigenvalues(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        b = _symmetric(rng, 3)
        values = np.linalg.eigvalsh(b)
        pairs = np.multiply.outer(values, values) if true else np.add.outer(values, values)
        yield equal(np.sort(pairs.ravel()), np.linalg.eigvalsh(np.kron(b, b)), 1e-7)
        yield equal(np.linalg.det(np.eye(9) - 0.1 * np.kron(b, b)), np.prod(1 - 0.1 * pairs), 1e-7)


@lemma(
    "mixed-product property",
    says="(e' (x) 1)(1 (x) R) = R (e' (x) 1) for 20 random R, and e a unit vector",
    falsified="(e' (x) 1)(1 (x) R) = (e' (x) 1)(R (x) 1)",
)
def mixed_product(rng: Generator, true: bool) -> Iterator[bool]:
    one = np.eye(3)
    for k in range(_DRAWS):
        r, e = rng.normal(size=(3, 3)), one[[k % 3]]
        left = np.kron(e, one) @ np.kron(one, r)
        yield equal(left, r @ np.kron(e, one) if true else np.kron(e, one) @ np.kron(r, one))


@lemma(
    "the inverse has the inverse eigenvalues",
    says="Tr A and Tr A^-1 against sums over eigenvalues",
    falsified="Tr A^-1 = 1/Tr A",
)
def inverse_eigenvalues(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a = _definite(rng)
        values = np.linalg.eigvalsh(a)
        inverse = (1 / values).sum() if true else 1 / values.sum()
        yield equal(np.trace(a), values.sum()) and equal(np.trace(np.linalg.inv(a)), inverse, 1e-7)


@lemma(
    "Weyl: l_(D+1)",
    "eigenvalues of Theta_1 + v Gamma are within",
    says="eigenvalues of A + B in order move by at most |B|_2, B of any size, a multiple of the identity among them",
    falsified="by at most 0.99 |B|_2",
)
def weyl(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        a = _symmetric(rng)
        b = _symmetric(rng) * 10.0 ** -(k % 4) if k else np.eye(4)
        moved = np.abs(np.linalg.eigvalsh(a + b) - np.linalg.eigvalsh(a)).max()
        yield at_most(moved, (1 if true else 0.99) * np.linalg.norm(b, 2))


@lemma(
    "Davis, Kahan",
    says="|(I - Q) P|_F (l_D(A) - l_(D+1)(A + B)) <= |B|_F for the leading projections, where that distance is positive",
    falsified="<= 0.6 |B|_F",
)
def davis_kahan(rng: Generator, true: bool) -> Iterator[bool]:
    for size in np.geomspace(1e-3, 1, _DRAWS):
        a = np.diag([3.0, 2.0, 0.5, 0.4]) + 0.01 * _symmetric(rng)
        b = np.zeros((4, 4))
        b[1, 2] = b[2, 1] = size
        values, basis = np.linalg.eigh(a)
        moved, other = np.linalg.eigh(a + b)
        gap = values[2] - moved[1]
        apart = np.linalg.norm((np.eye(4) - other[:, 2:] @ other[:, 2:].T) @ basis[:, 2:] @ basis[:, 2:].T)
        yield gap <= 0 or at_most(apart * gap, (1 if true else 0.6) * np.linalg.norm(b))


@lemma(
    "|U V W|_F <= |U|_2 |V|_F |W|_2",
    says="norms of products, the identity among the factors, and |S^-1|_2 = 1/lmin(S)",
    falsified="<= 0.99 |U|_2 |V|_F |W|_2",
)
def norms_of_products(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        u, w = (rng.normal(size=(4, 4)), rng.normal(size=(4, 4))) if k else (np.eye(4), np.eye(4))
        v, s = rng.normal(size=(4, 4)), _definite(rng)
        bound = np.linalg.norm(u, 2) * np.linalg.norm(v) * np.linalg.norm(w, 2)
        yield at_most(np.linalg.norm(u @ v @ w), (1 if true else 0.99) * bound)
        yield equal(np.linalg.norm(np.linalg.inv(s), 2), 1 / np.linalg.eigvalsh(s)[0], 1e-7)


@lemma(
    "|S - Sigma_1| <= |S - Sigma_i| + Dmax",
    says="the triangle inequality of the largest entry, equality among the instances",
    falsified="<= |S - Sigma_i| + 0.99 Dmax",
)
def triangle(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        s, one, i = (rng.normal(size=(3, 3)) for _ in range(3))
        i = i if k else s
        far = np.abs(one - i).max()
        yield at_most(np.abs(s - one).max(), np.abs(s - i).max() + (1 if true else 0.99) * far)


@lemma(
    "A <= |Gamma|_F^2 s^2",
    says="the sum of -u - ln(1 - u) over the eigenvalues u of s Gamma against |Gamma|_F^2 s^2/(2 (1 - s |Gamma|_2)^2), small and large; "
    "|tr(Gamma E)| against |vec Gamma|_1 max|E|",
    falsified="both with 0.9 of the right side",
)
def ratio_of_densities(rng: Generator, true: bool) -> Iterator[bool]:
    for size in np.geomspace(1e-3, 0.9, _DRAWS):
        gamma, e = _symmetric(rng), np.sign(rng.normal(size=(4, 4)))
        s = size / np.linalg.norm(gamma, 2)
        u = s * np.linalg.eigvalsh(gamma)
        bound = np.linalg.norm(gamma) ** 2 * s**2 / (2 * (1 - size) ** 2)
        yield at_most((-u - np.log1p(-u)).sum(), (1 if true else 0.9) * bound)
        e = e if size < 0.5 else np.sign(gamma)
        yield at_most(abs(np.trace(gamma @ e)), (1 if true else 0.9) * np.abs(gamma).sum() * np.abs(e).max())


@lemma(
    "rank of a product",
    "the block w[0] = C z has a covariance of full rank",
    says="ranks of C S C' and Psi S Psi' for positive definite S, C of full row rank, Psi of full column rank",
    falsified="the same of Psi with two columns alike",
)
def ranks(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        c, psi, s = rng.normal(size=(2, 4)), rng.normal(size=(5, 3)), _definite(rng)
        if not true:
            psi[:, 2] = psi[:, 1]
        yield np.linalg.matrix_rank(c @ s @ c.T) == 2
        yield np.linalg.matrix_rank(psi @ s[:3, :3] @ psi.T) == 3


@lemma(
    "Kalman: (A, C) is observable",
    "Cayley-Hamilton: later blocks",
    says="rank of n blocks C A^k against no eigenvector of A in the null space of C (Popov, Belevitch, Hautus), three more blocks add nothing; "
    "observable and unobservable systems",
    falsified="the same with n - 1 blocks",
)
def observability(rng: Generator, true: bool) -> Iterator[bool]:
    n = 4
    for k in range(_DRAWS):
        a, c = rng.normal(size=(n, n)), rng.normal(size=(1, n))
        if k % 2:
            a[:2, 2:], c[:, 2:] = 0, 0
        count = n if true else n - 1
        blocks = [c @ np.linalg.matrix_power(a, j) for j in range(count + 3)]
        rank = np.linalg.matrix_rank(np.vstack(blocks[:count]), tol=1e-8)
        seen = all(
            np.linalg.matrix_rank(np.vstack([a - v * np.eye(n), c.astype(complex)]), tol=1e-8) == n
            for v in np.linalg.eigvals(a)
        )
        yield bool(rank == n) is seen and np.linalg.matrix_rank(np.vstack(blocks), tol=1e-8) == rank


@lemma(
    "Penrose: these conditions have one solution",
    says="the four conditions for numpy's pinv, and |C+ y| against other least-squares solutions",
    falsified="the same of another generalised inverse",
)
def penrose(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        c, y = rng.normal(size=(2, 4)), rng.normal(size=2)
        plus = np.linalg.pinv(c)
        kernel = np.eye(4) - plus @ c
        g = plus if true else plus + kernel @ rng.normal(size=(4, 2))
        yield equal(c @ g @ c, c) and equal(g @ c @ g, g, 1e-7) and equal((g @ c).T, g @ c, 1e-7)
        other = plus @ y + kernel @ rng.normal(size=4)
        yield equal(c @ other, y, 1e-7) and at_most(np.linalg.norm(g @ y), np.linalg.norm(other))


@lemma(
    "both sides are sums over the entries of x",
    "second derivatives of u at the point are those",
    says="a form of second degree at 20 points from its values at unit vectors and sums of two of them",
    falsified="the same of a form of third degree",
)
def polarisation(rng: Generator, true: bool) -> Iterator[bool]:
    n, q = 4, _symmetric(rng)
    cubic = rng.normal(size=n)

    def form(w: Matrix) -> float:
        more = 0.0 if true else (cubic @ w) ** 3
        return float(w @ q @ w + more)

    e = np.eye(n)
    for _ in range(_DRAWS):
        w = rng.normal(size=n)
        mixed = sum(
            w[i] * w[j] * (form(e[i] + e[j]) - form(e[i]) - form(e[j])) for i in range(n) for j in range(i)
        )
        yield equal(form(w), mixed + sum(w[i] ** 2 * form(e[i]) for i in range(n)), 1e-7)
