#!/usr/bin/env bash
# Builds the wheel and the sdist, installs the wheel in a clean environment with the lowest version that pyproject.toml allows of each
# dependency, and runs the quick tests of the sdist there.  The extras and tools of the tests are as new as they come.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/checkout" "$work/tests"
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -cf - | tar -xf - -C "$work/checkout"
"${PYTHON:-python3}" -m venv "$work/tools"
"$work/tools/bin/pip" install "build>=1.2"
"$work/tools/bin/python" -m build --outdir "$work/dist" "$work/checkout" >"$work/build.log" || { cat "$work/build.log"; exit 1; }

"$work/tools/bin/python" - "$work/checkout/pyproject.toml" >"$work/lowest.txt" <<'PYTHON'
import sys, tomllib
for line in tomllib.load(open(sys.argv[1], "rb"))["project"]["dependencies"]:
    print(line.replace(">=", "=="))
PYTHON
"${PYTHON:-python3}" -m venv "$work/environment"
pip="$work/environment/bin/pip"
"$pip" install --prefer-binary --constraint "$work/lowest.txt" "$work"/dist/*.whl
"$pip" install --prefer-binary --constraint "$work/lowest.txt" "pytest>=8.1" "pytest-xdist>=3.6" "hypothesis>=6.100" "markdown-it-py>=3" \
  "xmlschema>=3" "pyyaml>=6" "dp-accounting>=0.6"
"$pip" freeze | grep -i -F -f <(sed 's/==.*/==/' "$work/lowest.txt")

# The sdist brings the tests; what it knows of the package must not hide the wheel.
tar -xzf "$work"/dist/*.tar.gz -C "$work/tests" --strip-components=1
rm -rf "$work"/tests/*.egg-info
cd "$work/tests" && "$work/environment/bin/python" -m pytest -n "${WORKERS:-2}" -q -m quick
