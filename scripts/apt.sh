#!/usr/bin/env bash
# Installs the Debian packages named as arguments, those that are missing only.
set -euo pipefail

fail() {
    echo "make: $1" >&2
    exit 1
}

missing=()
for package in "$@"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null ||
    fail "the tests need ${missing[*]}, and there is no apt-get here: install it by the means of your system."

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        fail "the tests need ${missing[*]}: as root, run 'apt-get install ${missing[*]}', then try again."
    as_root=(sudo)
fi

echo "Installing ${missing[*]} .."
"${as_root[@]}" apt-get -o Acquire::Retries=3 -qq update ||
    fail "apt-get update failed: look at the lines above, and at the network."
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 -qq -y install --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install ${missing[*]}: look at the lines above."
