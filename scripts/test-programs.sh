#!/usr/bin/env bash
# Installs the programs that `npm run test:all` uses where they are present, on Debian and Ubuntu as root. Tests skip what is missing.
set -euo pipefail

apt-get update -qq
while IFS=: read -r purpose names; do
  # Without quotes: each name is an argument.
  # shellcheck disable=SC2086
  if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $names >/dev/null 2>&1 </dev/null; then
    echo "Installed $purpose."
  else
    echo "Cannot install $purpose: the tests that use it are skipped."
  fi
done <<'LIST'
a second ffmpeg: ffmpeg
bubblewrap, which confines ffmpeg: bubblewrap
an S3 store: swift-proxy swift-account swift-container swift-object memcached
the proxies of deploy/: nginx-light haproxy caddy
promtool for the alerts: prometheus
other players: mpv streamlink yt-dlp gstreamer1.0-tools gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav
Chromium without windows: chromium-headless-shell
PHP for the guides: php-cli php-curl
speech to text without a model: pocketsphinx pocketsphinx-en-us
LIST
