// `npm run soak [-- NAME…] [--minutes N]`: trials that take too long for `npm run test:all`. Repeats random kills and disconnections,
// also between a token and its payment; keys revoked under load; slow clients, and files of 1 GB that curl sends; random
// hostile requests; attacks by uploaded files under every name; more sources, longer chunks and sound, and more players; moves
// of media between all kinds of storage; processes that are replaced under load, and a whole cluster whose parts fail; a viewer who outlasts every key and session; one who seeks in a video of
// three hours; sound and picture of a video of two hours; the deletion of an account of 100,000 videos; the media tests whole
// with the second ffmpeg (`versions`); the browser tests with every kind of video in every other player (`browsers`). An
// unknown NAME lists them. `--minutes` is the length of `cluster`.
import { readArguments } from './arguments.mjs'
import { build, install, print, run } from './prepare.mjs'

const vitest = (...files) => [['node_modules/vitest/vitest.mjs', 'run', '--silent=false', ...files], { REELGATE_SOAK: '1' }]
const TRIALS = {
  media: vitest(
    ...['--project', '!media'],
    'server/worker/kills.process.test.ts',
    'server/worker/chunk-kills.process.test.ts',
    'server/modules/transcoding/transcripts/transcribe.process.test.ts',
    'server/worker/download-kills.process.test.ts',
    'server/worker/replace-kills.process.test.ts',
    'server/http/upload-cuts.process.test.ts',
    'server/modules/delivery/players.process.test.ts',
    'server/modules/transcoding/probe/attacks.process.test.ts',
    'server/modules/transcoding/encode/copy-source.process.test.ts',
    'server/modules/transcoding/encode/encode.process.test.ts',
    'server/modules/transcoding/encode/encode-audio.process.test.ts',
    'server/modules/transcoding/encode/encode-chunk.process.test.ts',
    'server/modules/transcoding/probe/odd-sources.process.test.ts',
    'server/modules/transcoding/probe/timeline.process.test.ts',
    'server/modules/transcoding/encode/real-world.process.test.ts',
    'server/modules/transcoding/tasks/tiny-film.process.test.ts',
    'server/modules/media/move-media.process.test.ts',
  ),
  versions: vitest('--project', 'media', '--passWithNoTests'),
  billing: vitest('server/modules/billing/kills.process.test.ts', 'server/modules/billing/interleavings.process.test.ts'),
  webhooks: vitest(
    'server/modules/webhooks/delivery/dispatcher-kills.process.test.ts',
    'server/modules/webhooks/delivery/hostile-receivers.process.test.ts',
    'server/modules/webhooks/delivery/schedule.db.test.ts',
  ),
  keys: vitest('server/modules/access/keys/revocation.process.test.ts'),
  requests: vitest('server/http/fuzz.db.test.ts'),
  clients: vitest('server/http/slow-clients.process.test.ts', 'server/http/direct-upload-clients.process.test.ts'),
  rolling: vitest('server/rolling.built.test.ts'),
  failover: vitest('server/failover.process.test.ts'),
  cluster: [vitest('lab/soak/cluster/soak.built.test.ts')[0], { REELGATE_SOAK: '1' }],
  'web-processes': [['lab/soak/web-processes.ts'], { NODE_ENV: 'production' }],
  playback: [['lab/soak/playback.ts'], { NODE_ENV: 'production' }],
  'long-video': [['lab/soak/long-video.ts'], { NODE_ENV: 'production' }],
  'av-offset': [['lab/soak/av-offset.ts'], {}],
  purge: [['lab/soak/purge.ts'], { NODE_ENV: 'production' }],
  browsers: [['node_modules/@playwright/test/cli.js', 'test', '--config', 'e2e/playwright.config.ts'], { REELGATE_SOAK: '1' }],
  image: [['lab/soak/image.ts'], {}],
}
/** Needs root, buildah and the package registries, so it runs only when it is named. */
const NAMED_ONLY = ['image']
const USAGE = `npm run soak [-- NAME…] [-- --minutes N]

  NAME          one of ${Object.keys(TRIALS).join(', ')}
  --minutes N   the length of cluster, 30 by default`
const { values, positionals: asked } = readArguments(USAGE, { minutes: { type: 'string', default: '30' } }, ({ values, positionals }) => {
  const unknown = positionals.filter((name) => !(name in TRIALS))
  if (unknown.length > 0) return `Unknown soak test: ${unknown.join(', ')}.`
  return Number(values.minutes) > 0 ? undefined : '--minutes must be a number above 0.'
})
await install({ dev: true })
await build({
  pages:
    asked.length === 0 ||
    asked.some((name) => ['rolling', 'cluster', 'web-processes', 'playback', 'long-video', 'browsers'].includes(name)),
})
process.exitCode = 0
for (const [name, [args, env]] of Object.entries(TRIALS)) {
  if (asked.length > 0 ? !asked.includes(name) : NAMED_ONLY.includes(name)) continue
  print(`\n── ${name}`)
  process.exitCode ||= await run(args, { ...env, REELGATE_SOAK_MINUTES: values.minutes })
}
