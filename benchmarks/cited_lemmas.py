"""The page of cited lemmas: `cd benchmarks && python cited_lemmas.py DIR [--instruments] > ../docs/cited-lemmas.md`.

DIR is what `noiseproof papers -o DIR` wrote.  With --instruments the lemmas of the textbook families, queries and programs are listed as well,
which takes some minutes.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from lemma_trials.registry import found

# A year, a theorem or a section in brackets or after a colon: the text names where the lemma is from.
_SOURCE = re.compile(r"\b(1[89]|20)\d\d\b|\b(Theorem|Proposition|theorem|equation) \d")
_NAMED = re.compile(
    r"\b(Markov|Jensen|Weyl|Kalman|Cayley-Hamilton|Penrose|Wirtinger|Chernoff|Hoffman|Stein|Cramer-Rao|Neyman-Pearson|Davis, Kahan|"
    r"Cauchy-Schwarz|Lebesgue|Kronecker|spectral theorem|implicit function theorem|mixed-product|triangle|factorisation theorem)\b"
)
_TWIN = " [twin]"
Uses = dict[str, dict[str, list[str]]]

_HEAD = """# Cited lemmas

{today}, `cd benchmarks && python cited_lemmas.py DIR{option} > ../docs/cited-lemmas.md` on the output of `noiseproof papers -o DIR`.

A derivation may cite a lemma: no kernel checks it, and each page lists the ones below its steps. Here they are all, each once, in the words in which
they are cited, with the source that is cited, and where a finding that is proved rests on them. "Tried" says what was evaluated in numbers at seeded
instances (`benchmarks/lemma_trials/`, run by `tests/derivations/test_cited_lemmas.py`): the lemma holds at all of them, and a falsified one, which is
named, is seen to fail. Numbers prove no lemma; they would show a wrong sign, a lost constant or a missing condition.

"""


def main(arguments: Sequence[str]) -> None:
    """Prints the page."""
    folder = Path(next(a for a in arguments if not a.startswith("--")))
    dossiers = [json.loads(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.json"))]
    printed, twins = uses(dossiers)
    option = " --instruments" if "--instruments" in arguments else ""
    print(_HEAD.format(today=datetime.now(UTC).date().isoformat(), option=option), end="")
    tried = sum(found(text) is not None for text in printed)
    sourced = sum(source(text) != "" for text in printed)
    findings = {i for ids in printed.values() for i in ids}
    carried = {i for text, ids in printed.items() for i in ids if found(text) is not None}
    untried = {i for text, ids in printed.items() for i in ids if found(text) is None}
    print(
        f"{len(printed)} lemmas carry {len(findings)} proved findings of the dossiers; {tried} of them are tried, {sourced} name a source or are known by a "
        f"name. {len(carried - untried)} of these findings rest on lemmas that are all tried. {len(twins)} more lemmas carry twins only.\n"
    )
    print("## Lemmas that carry proved findings\n")
    _table(printed)
    print("\n## Lemmas that carry twins only\n")
    _table(twins)
    if option:
        print(
            "\n## Lemmas of the instruments\n\nOf the textbook families, queries and programs of the benchmarks; those above are not repeated.\n"
        )
        _table({t: ids for t, ids in instruments().items() if t not in printed and t not in twins})


def uses(dossiers: Sequence[Mapping[str, object]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Of each lemma the findings whose printed statement is proved with it; and of those that none is, the findings whose twin is."""
    printed: dict[str, list[str]] = defaultdict(list)
    twins: dict[str, list[str]] = defaultdict(list)
    for text, finding, twin in _cited(dossiers):
        kept = twins[text] if twin else printed[text]
        if finding not in kept:
            kept.append(finding)
    return dict(printed), {t: ids for t, ids in twins.items() if t not in printed}


def _cited(dossiers: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, str, bool]]:
    for dossier in dossiers:
        for finding in dossier.get("findings", ()):  # type: ignore[attr-defined]
            for one in finding["evidence"]:
                rows = one["derivation"] if one["verdict"] == "PROVED" else ()
                yield from (
                    (r["reason"], finding["id"], one["check"].endswith(_TWIN))
                    for r in rows
                    if r["truth"] == "cited"
                )


def source(text: str) -> str:
    """What the text names as its source: a publication or a theorem's number, or a name under which textbooks have it."""
    named = _SOURCE.search(text) and "as cited"
    return named or ("by name" if _NAMED.search(text) else "")


def instruments() -> dict[str, list[str]]:
    """Of each lemma the families, queries and programs whose derivations cite it."""
    from kernel_instruments import LISTS

    cited: dict[str, list[str]] = defaultdict(list)
    for kind, entries in LISTS.items():
        for name, several in entries():
            for text in dict.fromkeys(lemma for derivation in several for lemma in derivation.lemmas):
                cited[text].append(f"{kind}: {name}")
    return dict(cited)


def _table(lemmas: Mapping[str, Sequence[str]]) -> None:
    print("| lemma | source | carries | tried | falsified |\n| --- | --- | --- | --- | --- |")
    for text, ids in sorted(lemmas.items(), key=lambda item: (-len(item[1]), item[0])):
        one = found(text)
        shown = ", ".join(ids[:6]) + (f" and {len(ids) - 6} more" if len(ids) > 6 else "")
        says, falsified = (one.says, one.falsified) if one is not None else ("no", "")
        print(f"| {' | '.join(cell(c) for c in (text, source(text), shown, says, falsified))} |")


def cell(text: str) -> str:
    """A text as it stands in a table of Markdown."""
    return re.sub(r"([|*_<>\[\]\\^])", r"\\\1", text)


if __name__ == "__main__":
    main(sys.argv[1:])
