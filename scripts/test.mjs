// `npm test`: what a change must pass, fastest to fail first. With --all: every test, most frequent failures first. With --changed: what
// the files changed since a commit can break. `npm test -- unit` runs one tier: types lint unit database process media built browser.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readArguments } from './arguments.mjs'
import { build, install, print, root, step } from './prepare.mjs'
import { builtTests, changedSince, gateSpecs, testsFor } from './test-scope.mjs'

/** Tiers that run together: one's files wait while another's compute. */
const TOGETHER = ['unit', 'database', 'process', 'media']
const TIERS = ['types', 'lint', ...TOGETHER, 'built', 'browser']

const USAGE = `npm test [-- TIER…]               what a change must pass, or these tiers of it
npm run test:all [-- TIER…]       every test
npm run test:changed [-- COMMIT]  what the files changed since a commit can break (HEAD)

Tiers: ${TIERS.join(', ')}`
const OPTIONS = { all: { type: 'boolean', default: false }, changed: { type: 'boolean', default: false } }
const { values, positionals: asked } = readArguments(USAGE, OPTIONS, ({ values, positionals }) => {
  if (values.changed) return positionals.length > 1 ? 'Name one commit.' : undefined
  const unknown = positionals.filter((name) => !TIERS.includes(name))
  return unknown.length > 0 ? `There is no tier ${unknown.join(', ')}.` : undefined
})

const commit = values.changed ? (asked[0] ?? 'HEAD') : undefined
/** Path prefixes of slow tests. Undefined for all that the command has. */
const chosen = commit && chosenSince(commit)
/** A change that nothing is known about runs everything. */
const isWhole = values.all || (values.changed && !chosen)
const isGate = !values.all && !values.changed

await install({ dev: true })
await build({ pages: false })

const results = join(root, '.cache/results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const scope = isGate ? { REELGATE_TESTS: 'gate' } : {}
const bin = (name) => join('node_modules', name)
const tiers = commit ? TIERS.filter(concerns) : asked
const wanted = TIERS.filter((name) => tiers.length === 0 || tiers.includes(name))
const together = TOGETHER.filter((name) => wanted.includes(name))

const quick = {
  // The types of the routes, for which the build does not check the pages.
  types: async () => (await runNode([bin('next/dist/bin/next'), 'typegen'])) && runNode([bin('typescript/bin/tsc'), '--noEmit', '-p', '.']),
  lint: () => runNode([bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
}
const files = chosen
  ? {
      // All units: some read documents and settings as files, which imports do not show.
      unit: () => vitest(['unit']),
      database: () => vitest(['database'], ['--changed', commit]),
      'process media': () => vitest(['process', 'media'], parts(false)),
    }
  : { [together.join(' ')]: () => vitest(together) }
const pages = {
  built: async () => {
    await build()
    return vitest(['built'], chosen && parts(false))
  },
  browser: async () => {
    await build()
    // The gate's tests, or those that are chosen.
    const some = isGate ? [...gateSpecs, '--grep-invert', '@deep'] : chosen ? [...parts(true), '--pass-with-no-tests'] : []
    return runNode([bin('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts', ...some], {
      ...scope,
      PLAYWRIGHT_JSON_OUTPUT_FILE: `${results}/browser.json`,
    })
  },
}
// Of all tests, browser tests fail most often.
const steps = isWhole ? { ...quick, browser: pages.browser, built: pages.built, ...files } : { ...quick, ...files, ...pages }

let passed = 0
let failed = 0
/** Names of the failed tests, printed last, where people look first in a long log. */
const broken = []
for (const [name, work] of Object.entries(steps)) {
  if (!name.split(' ').every((tier) => wanted.includes(tier))) continue
  const began = Date.now()
  print(`\n── ${name}`)
  const ok = await work()
  const result = resultOf(name, ok)
  passed += result.passed
  failed += result.failed
  broken.push(...result.broken)
  print(`── ${name}: ${ok ? 'ok' : 'FAILED'} in ${((Date.now() - began) / 1000).toFixed(0)} s`)
}
if (broken.length > 0) console.log(`\nFailed:\n${broken.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Returns the paths that a changed file leads to, and prints what runs. Exits with 2 for a commit that git does not know. */
function chosenSince(commit) {
  try {
    const changed = changedSince(commit)
    const paths = testsFor(changed)
    print(
      `${changed.length} files changed since ${commit}: ${paths ? ['units', 'database tests that import them', ...paths].join(', ') : 'everything runs'}`,
    )
    return paths
  } catch (error) {
    print(error.stderr || error.message)
    process.exit(2)
  }
}

/** Returns the chosen paths of browser tests, or those of the others. */
function parts(inBrowser) {
  return chosen.filter((path) => path.startsWith('e2e/') === inBrowser)
}

/** Returns whether a tier may have a test of the chosen paths. */
function concerns(tier) {
  if (!chosen || ['types', 'lint', 'unit', 'database'].includes(tier)) return true
  if (tier === 'built') return builtTests().some((file) => parts(false).some((path) => file.startsWith(path)))
  return parts(tier === 'browser').length > 0
}

function vitest(tiers, some = []) {
  return runNode(
    [
      bin('vitest/vitest.mjs'),
      'run',
      ...tiers.flatMap((tier) => ['--project', tier]),
      // With a single ffmpeg the media tests have no file, and a change may concern none.
      ...(tiers.join() === 'media' || chosen ? ['--passWithNoTests'] : []),
      ...(isGate ? ['--tagsFilter=!deep'] : []),
      ...some,
      '--reporter=default',
      '--reporter=./scripts/test-report.ts',
      '--reporter=json',
      `--outputFile.json=${results}/${tiers.join(' ')}.json`,
    ],
    scope,
  )
}

async function runNode(args, env = {}) {
  return (await step(args, env)) === 0
}

/**
 * Returns the numbers of tests in the runner's report and the names of those that failed; a step without a report counts as one test, as does
 * a file that failed to run.
 */
function resultOf(name, ok) {
  try {
    const report = JSON.parse(readFileSync(join(results, `${name}.json`), 'utf8'))
    const { passed, broken } = 'stats' in report ? resultOfBrowser(report) : resultOfVitest(report)
    return { passed, failed: Math.max(broken.length, ok ? 0 : 1), broken: ok || broken.length > 0 ? broken : [name] }
  } catch {
    return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, broken: ok ? [] : [name] }
  }
}

function resultOfBrowser({ stats, errors, suites }) {
  const specsOf = (suite) => [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]
  const failures = suites.flatMap(specsOf).filter(({ ok, tests }) => !ok || tests.some(({ status }) => status === 'flaky'))
  const broken = [...failures.map(({ file, title }) => `e2e/${file} > ${title}`), ...errors.map(({ message }) => message)]
  return { passed: stats.expected, broken }
}

function resultOfVitest({ numPassedTests, testResults }) {
  const broken = testResults.flatMap(({ name: path, status, assertionResults }) => {
    const file = relative(root, path)
    const failures = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => `${file} > ${fullName}`)
    return failures.length > 0 || status !== 'failed' ? failures : [file]
  })
  return { passed: numPassedTests, broken }
}
