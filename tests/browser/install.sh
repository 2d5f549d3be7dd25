#!/bin/sh
# Puts Debian's Chromium where the browser tests find it, unless a browser is there: nothing is skipped for its absence.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        exit 0
    fi
done
if ! command -v apt-get >/dev/null; then
    echo "The browser tests need Chromium: install it so that 'chromium' is on the PATH." >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "The browser tests need Chromium: run 'apt-get install chromium' as root." >&2; exit 1; }
    as_root=sudo
fi
echo "installing chromium for the browser tests ..."
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null || {
    echo "Chromium could not be installed: see the lines above, or install it yourself." >&2
    exit 1
}
