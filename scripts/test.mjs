// `npm test`: every tier, the fastest to fail first. `npm test -- unit` runs one of them: types lint unit database process media built
// browser.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readArguments } from './arguments.mjs'
import { build, install, print, root, step } from './prepare.mjs'

/** Tiers that run together: files of one wait while files of another compute. */
const TOGETHER = ['unit', 'database', 'process', 'media']
const TIERS = ['types', 'lint', ...TOGETHER, 'built', 'browser']

const { positionals: asked } = readArguments(`npm test [-- TIER…]\n\nTiers: ${TIERS.join(', ')}`, {}, ({ positionals }) => {
  const unknown = positionals.filter((name) => !TIERS.includes(name))
  return unknown.length > 0 ? `There is no tier ${unknown.join(', ')}.` : undefined
})

await install({ dev: true })
await build({ pages: false })

const results = join(root, '.cache/results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const bin = (name) => join('node_modules', name)
const wanted = TIERS.filter((name) => asked.length === 0 || asked.includes(name))
const together = TOGETHER.filter((name) => wanted.includes(name))

const steps = {
  // The types of the routes, for which the build does not check the pages.
  types: async () => (await runNode([bin('next/dist/bin/next'), 'typegen'])) && runNode([bin('typescript/bin/tsc'), '--noEmit', '-p', '.']),
  lint: () => runNode([bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  [together.join(' ')]: () => vitest(together),
  built: async () => {
    await build()
    return vitest(['built'])
  },
  browser: async () => {
    await build()
    return runNode([bin('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts'], {
      PLAYWRIGHT_JSON_OUTPUT_FILE: `${results}/browser.json`,
    })
  },
}

let passed = 0
let failed = 0
/** Names of the failed tests, printed last, where a reader of a long log looks first. */
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

function vitest(tiers) {
  return runNode([
    bin('vitest/vitest.mjs'),
    'run',
    ...tiers.flatMap((tier) => ['--project', tier]),
    // With a single ffmpeg the media tests have no file.
    ...(tiers.join() === 'media' ? ['--passWithNoTests'] : []),
    '--reporter=default',
    '--reporter=./scripts/test-report.ts',
    '--reporter=json',
    `--outputFile.json=${results}/${tiers.join(' ')}.json`,
  ])
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
