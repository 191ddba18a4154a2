# Reelgate in one image, for every role. Build: docker build -t reelgate .
#   --build-arg EMBEDDED_POSTGRES=true   adds PostgreSQL (60 MB), for a container without DATABASE_URL and for restore drills of
#                                        BACKUP_URL
#   --build-arg BASE=…                   another Debian 13 or newer
#   --secret id=npmrc,src=$HOME/.npmrc   npm's settings, if packages come from a mirror
# See docs/deploying.md to run it.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
# The distribution's Node only starts the build; npm installs the Node that runs the service.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates nodejs npm
WORKDIR /srv/reelgate
COPY . .
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm run build && rm -rf /root/.npm
ARG EMBEDDED_POSTGRES=false
RUN npm run build -- --slim $(test "$EMBEDDED_POSTGRES" = false || echo --embedded-postgres)

FROM ${BASE}
# ffmpeg opens no window, and the drivers for that are half of its size.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates ffmpeg tini \
    && dpkg --purge --force-depends $(dpkg-query -W -f '${Package}\n' 'libllvm*' 'mesa-*' 'libgl1-mesa-*' 'libgallium*' 'libz3-*') \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /usr/share/man /usr/share/locale \
    && find /usr/share/doc -type f ! -name copyright -delete \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin reelgate \
    && install -d -o reelgate -g reelgate -m 0700 /data
WORKDIR /srv/reelgate
COPY --from=build /srv/reelgate .
RUN ln -s "$PWD"/node_modules/node-linux-*/bin/node /usr/local/bin/node && node --version && ffmpeg -version >/dev/null
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 DATA_DIR=/data
# A number, so that Kubernetes can see that it isn't root.
USER 10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "deploy/health.mjs"]
# Allow at least 30 seconds more than DRAIN_SEC to stop it: docker stop --time, terminationGracePeriodSeconds.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "server/main.ts"]
