"""What an atom is made from, and whether it depends on a variable."""

from __future__ import annotations

from .atoms import Atom, Atoms
from .polynomials import Polynomial
from .quotients import Quotient


def depends_on(atom: int, variable: int, atoms: Atoms) -> bool:
    """Whether an atom is the variable, or made from it."""
    if atom == variable:
        return True
    return any(
        _polynomial_depends(p, variable, atoms)
        for q in parts(atoms.known[atom])
        for p in (q.numerator, *map(dict, q.denominator))
    )


def _polynomial_depends(a: Polynomial, variable: int, atoms: Atoms) -> bool:
    return any(depends_on(n, variable, atoms) for m in a for n, _ in m)


def parts(atom: Atom) -> list[Quotient]:
    """The quotients that an atom is made from."""
    if atom.kind in ("exp", "log", "abs"):
        return [atom.data]
    if atom.kind == "root":
        return [Quotient(atom.data)]
    if atom.kind in ("sum", "int"):
        body, _, *ends = atom.data
        return [body, *(e for e in ends if isinstance(e, Quotient))]
    if atom.kind in ("var", "prime", "const", "tr", "from one", "range"):
        return []
    return list(atom.data[1])


def quotient_depends(q: Quotient, variable: int, atoms: Atoms) -> bool:
    """Whether a quotient depends on the variable of this number."""
    return any(_polynomial_depends(p, variable, atoms) for p in (q.numerator, *map(dict, q.denominator)))


def variables(q: Quotient, atoms: Atoms) -> set[int]:
    """The atoms without parts of which it is made, constants apart."""
    found: set[int] = set()
    for p in (q.numerator, *map(dict, q.denominator)):
        for n in {n for m in p for n, _ in m}:
            atom = atoms.known[n]
            inner = parts(atom)
            if not inner and atom.kind not in ("prime", "const"):
                found.add(n)
            for part in inner:
                found |= variables(part, atoms)
    return found
