// Which tests a command runs: those of `npm test`, and those that a change can affect. Plain JavaScript for Node 20, without dependencies.
import { execFileSync } from 'node:child_process'
import { root } from './prepare.mjs'

/**
 * What `npm test` runs of the slow tiers, each file with its reason. `unit` and `database` run whole. Tests tagged `deep` are left out.
 * CONTRIBUTING.md has the same table.
 */
export const GATE = [
  ['A server starts, stops, recovers and says what is wrong', ['server/main.process', 'server/main.built']],
  [
    'Requests over HTTP, and both kinds of uploads',
    ['server/http/http-server.process', 'server/http/uploads/resumable-uploads.process', 'server/http/direct-upload-clients.process'],
  ],
  [
    'Keys: life, scopes, networks, revocation in every process',
    [
      'server/modules/access/keys/life.process',
      'server/modules/access/keys/set-scopes.process',
      'server/modules/access/keys/address-http.process',
      'server/modules/access/keys/revocation.process',
    ],
  ],
  [
    'Quota and money over several processes',
    [
      'server/modules/access/quotas/processes.process',
      'server/modules/billing/interleavings.process',
      'server/modules/delivery/tokens/issue-once.process',
    ],
  ],
  [
    'The end of playback, and the places of viewers',
    ['server/modules/delivery/sessions/end.process', 'server/modules/delivery/sessions/viewer-places.process'],
  ],
  ['The events of a transcoded video', ['server/modules/webhooks/delivery/processing-events.process']],
  ['A worker and its sandbox', ['server/worker/worker.process', 'server/platform/ffmpeg/sandbox.process']],
  [
    'Probe, chunk and copy of a source',
    [
      'server/modules/transcoding/probe/probe.process',
      'server/modules/transcoding/probe/container.process',
      'server/modules/transcoding/encode/encode-chunk.process',
      'server/modules/transcoding/encode/copy-source.process',
    ],
  ],
  ['A source becomes encrypted HLS that ffmpeg decodes; a killed worker', ['server/modules/transcoding/tasks/run.process']],
  ['Storage in S3, where the store is installed', ['server/platform/storage/s3.process']],
  ['The published contract', ['scripts/openapi.process']],
  [
    'The built pages and the conformance kit',
    ['scripts/conformance.built', 'scripts/page-weight.built', 'app/embed/[videoId]/_parts/weight.built'],
  ],
  ['A new owner: sign-up, upload, key, token, playback, revocation', ['e2e/journey']],
  ['Sign-in, and the second factor', ['e2e/ways-in', 'e2e/security']],
  ['API keys in the dashboard', ['e2e/keys']],
  ['Playback in our player and in one other', ['e2e/player', 'e2e/players']],
  ['Support and operators', ['e2e/support', 'e2e/measures']],
  ['Every page: accessible, light, steady, in one state and view', ['e2e/sweep']],
]

const isSpec = (name) => name.startsWith('e2e/')
/** Paths of the gate's test files, and of its browser tests. */
export const gateFiles = GATE.flatMap(([, files]) => files)
  .filter((name) => !isSpec(name))
  .map((name) => `${name}.test.ts`)
export const gateSpecs = GATE.flatMap(([, files]) => files)
  .filter(isSpec)
  .map((name) => `${name}.spec.ts`)

const modules = (...names) => names.map((name) => `server/modules/${name}/`)
const specs = (names) => names.split(' ').map((name) => `e2e/${name}.spec.ts`)
const ALL_SPECS = ['e2e/']
const PLAYBACK = specs('player players player-texts controls embed growing native session other-origin reports tracks journey')
const VIDEOS = specs('library video-list uploads uppy imports tracks collections replace-source reencode storage downloads conflicts')
const PIPELINE = [
  ...['server/modules/transcoding/', 'server/worker/', 'app/v1/video/replace'],
  ...['server/modules/delivery/downloads/', 'server/modules/webhooks/delivery/processing-events'],
  ...specs('journey growing codecs av1 replace-source reencode tracks'),
]

/**
 * Process, media, built and browser tests that a change in a folder can break, as path prefixes. The first row that a changed file's path
 * starts with counts; a file without a row runs everything. All units run, and the database tests that import a changed file.
 */
export const FOLDERS = [
  [/\.test\.ts$|\.spec\.ts$/, (file) => [file]],
  ['server/modules/transcoding/', PIPELINE],
  ['server/worker/', PIPELINE],
  [
    'server/modules/uploads/',
    [
      ...modules('uploads'),
      'server/http/',
      'server/worker/import-kills',
      'scripts/command-uploads',
      ...specs('uploads uppy imports journey'),
    ],
  ],
  ['server/modules/webhooks/', [...modules('webhooks'), 'app/docs/webhooks/', ...specs('webhooks notifications')]],
  [
    'server/modules/billing/',
    [...modules('billing', 'access', 'audit'), 'scripts/operator', ...specs('billing overview receipts support')],
  ],
  ['server/modules/access/', [...modules('access', 'billing', 'delivery'), 'server/main.', ...specs('keys billing journey support')]],
  ['server/modules/delivery/', [...modules('delivery', 'access'), 'server/http/', 'app/v1/', 'scripts/conformance', ...PLAYBACK]],
  ['server/modules/identity/', [...modules('identity'), ...specs('ways-in second-factor security team settings storage measures journey')]],
  ['server/modules/backoffice/', ['scripts/operator', ...specs('support measures')]],
  ['server/modules/backups/', [...modules('backups'), 'scripts/operator']],
  ['server/modules/analytics/', [...modules('analytics'), ...specs('traffic stories figures viewers reports overview')]],
  ['server/modules/dashboard/', specs('overview traffic stories library video-list keys')],
  ['server/modules/videos/', [...modules('videos', 'media', 'delivery'), 'server/http/', 'app/v1/', ...VIDEOS]],
  ['server/modules/media/', [...modules('media', 'delivery'), 'server/worker/', 'app/v1/', ...VIDEOS]],
  ['server/http/', ['server/http/', 'server/main.', 'scripts/conformance', 'app/docs/', ...specs('journey player security shell uploads')]],
  ['app/v1/', ['app/v1/', 'scripts/conformance', 'scripts/openapi', ...specs('journey player')]],
  ['app/cdn/', ['app/cdn/', 'scripts/conformance', ...PLAYBACK]],
  ['app/docs/', ['app/docs/', 'scripts/newcomer', ...specs('docs sweep')]],
  ['app/embed/', ['app/embed/', 'server/modules/delivery/players', ...PLAYBACK]],
  ['app/watch/', specs('sharing sweep')],
  ['app/support/', specs('support measures sweep')],
  ['app/operator/', specs('support measures sweep')],
  ['app/(auth)/', specs('ways-in second-factor security journey bad-input sweep')],
  ['app/(dashboard)/videos/', [...VIDEOS, ...specs('sweep bad-input')]],
  ['app/(dashboard)/api-keys/', specs('keys journey bad-input sweep')],
  ['app/(dashboard)/webhooks/', specs('webhooks bad-input sweep')],
  ['app/(dashboard)/billing/', specs('billing sweep')],
  ['app/(dashboard)/requests/', specs('traffic stories sweep')],
  ['app/(dashboard)/usage/', specs('traffic figures sweep')],
  ['app/', ['scripts/page-weight', 'scripts/build-scope', 'app/', ...ALL_SPECS]],
  ['e2e/', ALL_SPECS],
  ['examples/', specs('course-site')],
  ['deploy/', ['scripts/alerts', 'scripts/systemd', 'scripts/sample-secrets', 'server/http/proxies']],
  ['sdk/', ['scripts/sdk', 'scripts/command', 'scripts/build-sdk', 'scripts/openapi', 'scripts/newcomer', ...specs('course-site')]],
  ['scripts/operator', ['scripts/operator']],
  ['scripts/conformance', ['scripts/conformance']],
  ['scripts/architecture/', []],
  ['lab/', []],
  ['docs/', []],
  ['.github/', []],
  [/^[A-Z_]+\.md$/, []],
]

/**
 * Returns the beginnings of the paths of the tests to run besides units and database tests, or undefined for all of them.
 * @param {string[]} changed paths from the root
 */
export function testsFor(changed) {
  const chosen = changed.map((file) => {
    const row = FOLDERS.find(([folder]) => (typeof folder === 'string' ? file.startsWith(folder) : folder.test(file)))
    return typeof row?.[1] === 'function' ? row[1](file) : row?.[1]
  })
  return chosen.includes(undefined) ? undefined : [...new Set(chosen.flat())]
}

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const lines = (text) => text.split('\n').filter(Boolean)

/** Returns the paths of the tests that need the built pages, new ones included. */
export const builtTests = () => lines(git('ls-files', '--cached', '--others', '--exclude-standard', '*.built.test.ts'))

/** Returns the paths of files that differ from a commit in the working tree, new ones included. Throws git's message for an unknown commit. */
export function changedSince(commit) {
  const lists = [git('diff', '--name-only', commit, '--'), git('ls-files', '--others', '--exclude-standard')]
  return [...new Set(lines(lists.join('\n')))]
}
