#!/usr/bin/env bash
# Installs Pitwatch into .venv: 'scripts/venv.sh run', or 'scripts/venv.sh test' for what the tests need too.
# A stamp in .venv says that an installation came to its end; where there is none, .venv is made afresh.
set -euo pipefail

wanted=$1
echo "Preparing .venv for 'make $wanted' (the first time takes a few minutes) .."

if [ ! -e .venv/.run ]; then
    for python in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
        command -v "$python" >/dev/null || continue
        "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' && break
        python=
    done
    if [ -z "${python:-}" ] || ! command -v "$python" >/dev/null; then
        echo "make: Pitwatch needs Python 3.11 to 3.14; install one, or name it: make $wanted PYTHON=/path/to/python" >&2
        exit 1
    fi
    # shellcheck disable=SC2086 # several flags are several words
    "$python" -m venv --clear ${VENV_FLAGS:-} .venv
fi

rm -f .venv/.run .venv/.test
case $wanted in
    run)
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable .
        touch .venv/.run
        ;;
    test)
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
        touch .venv/.run .venv/.test
        ;;
esac
