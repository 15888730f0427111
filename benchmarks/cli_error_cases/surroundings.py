"""What stands around a command: closed pipes, other encodings, narrow windows, folders that cannot be written, and kills."""

from __future__ import annotations

from .case import APART, Case
from .kits import POLICY

_AUDIT = "noiseproof audit spec.toml -o new"
_RELEASE = "noiseproof release policy.toml -o release"
_SLOW = ("policy.toml", "samples = 600", "samples = 3000000")
_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def _apart(name: str, line: str, *kits: str, fine: bool = True, **more: str) -> Case:
    return Case(name, line, kits, how=APART, fine=fine, environment=more)


def _locked(name: str, line: str, kit: str, *before: str) -> Case:
    return Case(name, line, (kit,), before=before or ("chmod -w .",), how=APART, plain_user=True)


def _killed(name: str, line: str, kit: str, before: str, files: dict[str, str] | None = None) -> Case:
    """A command after one that is killed after so many seconds."""
    return Case(name, line, (kit,), files or {}, (f"timeout -s KILL {before}",), how=APART, fine=True)


SURROUNDINGS = [
    _apart("a reader who reads one line", "noiseproof mechanisms | head -1"),
    _apart("a reader who leaves at once", "noiseproof mechanisms | true"),
    _apart("an audit into a closed pipe", f"{_AUDIT} | true", "spec"),
    _apart("no standard output", f"{_AUDIT} >&-", "spec"),
    _apart("no standard error", "noiseproof audit nothing.toml 2>&-; test $? = 2"),
    _apart("a full disk under standard output", "noiseproof mechanisms > /dev/full", fine=False),
    _apart("a spec from a pipe", "cat spec.toml | noiseproof audit -", "spec", fine=False),
    _apart("a spec from /dev/stdin", "cat spec.toml | noiseproof audit /dev/stdin -o new", "spec", fine=True),
    _apart("an ASCII locale", _AUDIT, "spec", **_ASCII),
    _apart("an ASCII locale and a release", _RELEASE, "policy", **_ASCII),
    _apart("an ASCII locale and a Greek file", "noiseproof audit ε.toml", fine=False, **_ASCII),
    _apart("a locale that is not there", _AUDIT, "spec", LC_ALL="tlh_QO.KOI8-R"),
    _apart(
        "Latin-1 streams", "noiseproof report out/certificate.json", "audited", PYTHONIOENCODING="latin-1"
    ),
    _apart("a window of one column", "noiseproof plan --epsilon 1", COLUMNS="1"),
    _apart("columns in words", "noiseproof plan --epsilon 1", COLUMNS="wide"),
    _apart("a dumb terminal", "noiseproof mechanisms", TERM="dumb", NO_COLOR="1"),
    _apart("no home", _AUDIT, "spec", HOME="/nowhere"),
    _apart("a temporary folder that is not there", _AUDIT, "spec", TMPDIR="/nowhere"),
    _apart(
        "a folder that was removed",
        "mkdir x; cd x; rmdir ../x; noiseproof audit ../spec.toml",
        "spec",
        fine=False,
    ),
    _apart(
        "a folder with a blank and a letter of Greek",
        "mkdir 'a ε'; mv spec.toml 'a ε'; cd 'a ε'; noiseproof audit spec.toml",
        "spec",
    ),
    _apart("a file of the user named like a module", _AUDIT, "spec", "shadow"),
    _apart("few descriptors", f"ulimit -n 8; {_AUDIT}", "spec"),
    _apart("a file size limit", f"ulimit -f 1; {_AUDIT}", "spec", fine=False),
    _locked("an audit in a read-only folder", "noiseproof audit spec.toml", "spec"),
    _locked(
        "a certificate's page in a read-only folder",
        "noiseproof report out/certificate.json",
        "audited",
        "chmod -w out",
    ),
    _locked("an export into a read-only folder", "noiseproof export out/certificate.json", "audited"),
    _locked("a seal in a read-only folder", "noiseproof seal out", "audited", "chmod -w out"),
    _locked(
        "a seal of a file that cannot be read", "noiseproof seal out", "audited", "chmod 000 out/index.html"
    ),
    _locked("a release in a read-only folder", _RELEASE, "policy"),
    _locked("a release whose table cannot be read", _RELEASE, "policy", "chmod 000 people.csv"),
    _locked("a release whose policy cannot be read", _RELEASE, "policy", "chmod 000 policy.toml"),
    _locked(
        "a release whose ledger cannot be written", f"{_RELEASE}-2", "released", "chmod 444 people.ledger"
    ),
    _locked("a release whose ledger cannot be read", f"{_RELEASE}-2", "released", "chmod 000 people.ledger"),
    _locked("a release whose salt cannot be read", f"{_RELEASE}-2", "released", "chmod 000 noiseproof.salt"),
    _locked(
        "no answers to a read-only release",
        "noiseproof answer release release.answers.toml",
        "released",
        "chmod -w . release",
    ),
    _locked("a spec that cannot be read", "noiseproof audit spec.toml", "spec", "chmod 000 spec.toml"),
    _locked(
        "a certificate that cannot be read",
        "noiseproof report out/certificate.json",
        "audited",
        "chmod 000 out/certificate.json",
    ),
    _locked("a folder that cannot be entered", "noiseproof verify out", "sealed", "chmod 000 out"),
    _locked("a key in a read-only folder", "noiseproof keygen key.pem", "spec"),
    _locked("init in a read-only folder", "noiseproof init", "spec"),
    _locked(
        "a policy from a table in a read-only folder", "noiseproof policy init people.csv -o p.toml", "policy"
    ),
    _locked(
        "a ledger in a read-only folder",
        "noiseproof ledger create n.ledger --table t --unit record --epsilon 1",
        "spec",
    ),
    _locked(
        "a ledger that cannot be read", "noiseproof ledger show t.ledger", "ledger", "chmod 000 t.ledger"
    ),
    _locked("a calibration into a read-only folder", "noiseproof calibrate policy.toml -o sheet", "policy"),
    _locked("papers into a read-only folder", "noiseproof papers theorem.py --workers 1", "theorem"),
    _locked(
        "an experiment in a read-only folder", "noiseproof experiment illustration --simulations 2", "spec"
    ),
    _killed("an audit after one that was killed", _AUDIT, "spec", f"0.5 {_AUDIT}"),
    _killed("a release after one that was killed", _RELEASE, "policy", f"1.2 {_RELEASE}"),
    _killed(
        "a release after one that was killed in its audit",
        _RELEASE,
        "policy",
        f"4 {_RELEASE.replace('policy', 'slow')}",
        {"slow.toml": POLICY.replace("samples = 600", "samples = 3000000")},
    ),
    Case(
        "a release that is interrupted",
        f"timeout --preserve-status -s INT 4 {_RELEASE}",
        ("policy",),
        edits=(_SLOW,),
        how=APART,
    ),
    Case(
        "a release that is terminated",
        f"timeout --preserve-status -s TERM 4 {_RELEASE}",
        ("policy",),
        edits=(_SLOW,),
        how=APART,
    ),
]
