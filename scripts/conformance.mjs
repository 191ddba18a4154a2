// `npm run conformance -- --base-url … --key …`: tests the whole contract of any deployment, over HTTP only. Independent of the service's
// code. Requires Node 20, and installs the development packages.
import { writeFileSync } from 'node:fs'
import { readArguments } from './arguments.mjs'
import { asTable } from './conformance/report.mjs'
import { install } from './prepare.mjs'

const USAGE = `npm run conformance -- --base-url URL --key KEY [options]

  --base-url URL            base URL of the service, e.g. http://localhost:3000
  --key KEY                 a key with video:read, preferably live, of an account with a COMPLETED video; not in use elsewhere
  --key-without-scope KEY   a key that lacks video:read
  --billing-key KEY         a key with billing:read; --key must then lack that scope
  --test-key KEY            a test key of the same account, for the fixture ids and viewers
  --write-key KEY           a key with video:read and video:write of the same account, for --with writes
  --viewer-key KEY          a key with video:read, viewer:read and viewer:write; --key must then lack viewer:read
  --video ID                the COMPLETED video to use; default: the newest
  --foreign-video ID        a video of another account, which must be reported as not found
  --skip NAME               skip "delivery" (playlists, segments, keys) or "docs"; may be repeated
  --with writes             also test the endpoints that change videos: uploads one small file and deletes it
  --only PREFIX             run only checks whose id starts with PREFIX
  --strict                  count skipped checks as drift
  --report FILE             write the report to FILE as JSON

A run issues about 40 playback tokens. Exit codes: 0 conforms, 1 drift, 2 could not run.
`

const options = {
  'base-url': { type: 'string' },
  key: { type: 'string' },
  'key-without-scope': { type: 'string' },
  'billing-key': { type: 'string' },
  'test-key': { type: 'string' },
  'write-key': { type: 'string' },
  'viewer-key': { type: 'string' },
  with: { type: 'string', multiple: true },
  video: { type: 'string' },
  'foreign-video': { type: 'string' },
  skip: { type: 'string', multiple: true },
  only: { type: 'string' },
  strict: { type: 'boolean', default: false },
  report: { type: 'string' },
}

function problem({ values, positionals: [more] }) {
  if (more) return `Unexpected argument '${more}'.`
  if (!values['base-url'] || !URL.canParse(values['base-url'])) return 'Specify the base URL of the service with --base-url.'
  if (!values.key) return 'Specify an API key with --key.'
  const unknown = values.with?.find((name) => name !== 'writes')
  if (unknown) return `There is no section ${unknown}. --with has: writes.`
  return values.with && !values['write-key'] ? 'Specify a key for --with writes with --write-key.' : undefined
}

const { values: given } = readArguments(USAGE, options, problem)
try {
  await install({ dev: true })
  const { runConformance } = await import('./conformance/run.mjs')
  const report = await runConformance({
    baseUrl: given['base-url'].replace(/\/+$/, ''),
    key: given.key,
    bareKey: given['key-without-scope'],
    testKey: given['test-key'],
    billingKey: given['billing-key'],
    writeKey: given['write-key'],
    viewerKey: given['viewer-key'],
    with: given.with,
    video: given.video,
    foreignVideo: given['foreign-video'],
    skip: given.skip,
    only: given.only,
  })
  if (given.strict && report.summary.skipped > 0) report.conforms = false
  console.log(asTable(report))
  if (given.report) writeFileSync(given.report, `${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.conforms ? 0 : 1
} catch (error) {
  console.error(`Cannot reach the service: ${error.message}`)
  process.exitCode = 2
}
