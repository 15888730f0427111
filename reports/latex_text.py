"""Text from strangers as LaTeX that prints it and does nothing else."""

from __future__ import annotations

import re
import unicodedata

from ..audit.record.shown_text import clean

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "{-}",
    "?": "{?}",
    "!": "{!}",
    ",": "{,}",
}
# In prose a hyphen, a comma and an apostrophe are what they look like; ligatures of two of them are not.
_PROSE = {"-": "-", "'": "'", ",": ",", "?": "?", "!": "!"}
_SYMBOLS = {
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∼": r"\sim",
    "∈": r"\in",
    "∞": r"\infty",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "−": "-",
    "→": r"\to",
    "⇒": r"\Rightarrow",
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "√": r"\surd",
    "∂": r"\partial",
    "∇": r"\nabla",
    "∥": r"\|",
    "‖": r"\|",
    "⊤": r"\top",
    "⊥": r"\perp",
    "∧": r"\land",
    "∨": r"\lor",
    "¬": r"\neg",
    "∀": r"\forall",
    "∃": r"\exists",
    "⊂": r"\subset",
    "⊆": r"\subseteq",
    "∪": r"\cup",
    "∩": r"\cap",
    "ℓ": r"\ell",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "ζ": r"\zeta",
    "η": r"\eta",
    "θ": r"\theta",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ν": r"\nu",
    "ξ": r"\xi",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
    "φ": r"\varphi",
    "ϕ": r"\phi",
    "χ": r"\chi",
    "ψ": r"\psi",
    "ω": r"\omega",
    "Γ": r"\Gamma",
    "Δ": r"\Delta",
    "Θ": r"\Theta",
    "Λ": r"\Lambda",
    "Ξ": r"\Xi",
    "Π": r"\Pi",
    "Σ": r"\Sigma",
    "Φ": r"\Phi",
    "Ψ": r"\Psi",
    "Ω": r"\Omega",
    "²": "^2",
    "³": "^3",
    "¹": "^1",
    "⁻": "^-",
    "⁰": "^0",
    "⁴": "^4",
    "⁵": "^5",
    "⁶": "^6",
    "⁷": "^7",
    "⁸": "^8",
    "⁹": "^9",
}
_PUNCTUATION = {
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "§": r"\S{}",
    "°": r"\textdegree{}",
    "€": "EUR",
}
_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
    "\u0328": r"\k",
}
_LETTERS = {
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ı": r"\i{}",
}


def prose(text: str) -> str:
    """The text in the font of its surroundings, in one paragraph."""
    body = "".join(_character(c, _PROSE) for c in clean(" ".join(text.split())))
    # Two hyphens would become a dash, two apostrophes a quotation mark, ?` and !` Spanish marks.
    return re.sub(r"(?<=[-',])(?=[-',])", "{}", body)


def verbatim(text: str) -> str:
    """The text in typewriter letters, every character as it stands; lines may break after a sign that is no letter."""
    body = "".join(_character(c, {}) for c in clean(" ".join(text.split())))
    return rf"\texttt{{{re.sub(r'(?<=[+*/=)])(?=.)', lambda _: chr(92) + 'allowbreak{}', body)}}}"


def _character(character: str, kept: dict[str, str]) -> str:
    if character in kept:
        return kept[character]
    if character in _SPECIAL:
        return _SPECIAL[character]
    if " " <= character <= "~":
        return character
    if character in _SYMBOLS:
        return rf"\ensuremath{{{_SYMBOLS[character]}}}"
    known = _PUNCTUATION.get(character) or _LETTERS.get(character)
    if known:
        return known
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[1] in _ACCENTS and parts[0].isascii() and parts[0].isalpha():
        return f"{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\texttt{{U+{ord(character):04X}}}"
