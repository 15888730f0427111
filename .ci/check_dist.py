"""The wheel holds the package and nothing else, the sdist the whole checkout, and an environment the wheel's bytes.

usage: check_dist.py DIST CHECKOUT [ENVIRONMENT]
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

IGNORED = {
    ".venv",
    "build",
    "dist",
    "__pycache__",
    ".hypothesis",
    ".pytest_cache",
    ".ruff_cache",
    ".mypy_cache",
}


def package_files(checkout: Path) -> dict[str, bytes]:
    """Where each source file belongs in the wheel, from the table of folders in pyproject.toml."""
    folders = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    found: dict[str, bytes] = {}
    for package, folder in folders.items():
        for path in (checkout / folder).rglob("*"):
            inner = path.relative_to(checkout / folder)
            if path.is_file() and not IGNORED & set(inner.parts):
                found[(Path(package.replace(".", "/")) / inner).as_posix()] = path.read_bytes()
    return found


def wheel_files(dist: Path) -> dict[str, bytes]:
    """The wheel, without its metadata folder."""
    (path,) = dist.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
            sys.exit("the wheel lacks its licence")
        return {name: wheel.read(name) for name in names if ".dist-info/" not in name}


def sdist_names(dist: Path) -> set[str]:
    """The files of the sdist, relative to its root."""
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def checkout_names(checkout: Path) -> set[str]:
    """The files of the checkout that are not made by a tool."""
    files = (path.relative_to(checkout) for path in checkout.rglob("*") if path.is_file())
    return {
        p.as_posix()
        for p in files
        if not IGNORED & set(p.parts) and not any(s.endswith(".egg-info") for s in p.parts)
    }


def same(what: str, expected: dict[str, bytes], found: dict[str, bytes]) -> None:
    """Exit with the names that are missing, extra or different."""
    missing, extra = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
    different = sorted(name for name in expected.keys() & found.keys() if expected[name] != found[name])
    if missing or extra or different:
        sys.exit(f"{what}: missing {missing}, extra {extra}, different {different}")
    print(f"{what}: {len(found)} files, as expected")


def main(dist: Path, checkout: Path, environment: Path | None = None) -> None:
    wheel = wheel_files(dist)
    if environment is None:
        same("wheel", package_files(checkout), wheel)
        absent = sorted(checkout_names(checkout) - sdist_names(dist) - {".gitignore"})
        if absent:
            sys.exit(f"the sdist lacks {absent}: add them to MANIFEST.in")
        return
    where = [environment / "bin" / "python", "-c", "import noiseproof; print(noiseproof.__path__[0])"]
    home = Path(subprocess.run(where, check=True, capture_output=True, text=True, cwd="/").stdout.strip())
    installed = {
        p.relative_to(home.parent).as_posix(): p.read_bytes()
        for p in home.rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    same("installed by the README's commands", wheel, installed)


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:]))
