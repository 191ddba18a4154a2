// `npm test`: every tier, the fastest to fail first. `npm test -- unit` runs one of them: types lint unit database process media built
// browser.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, print, root, step } from './prepare.mjs'

await install({ dev: true })
await build({ pages: false })

const results = join(root, '.cache/results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const bin = (name) => join('node_modules', name)
/** Tiers that run together: files of one wait while files of another compute. */
const TOGETHER = ['unit', 'database', 'process', 'media']
const TIERS = ['types', 'lint', ...TOGETHER, 'built', 'browser']

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !TIERS.includes(name))
if (unknown.length > 0) {
  print(`There is no tier ${unknown.join(', ')}. Tiers: ${TIERS.join(', ')}.`)
  process.exit(1)
}
const wanted = TIERS.filter((name) => asked.length === 0 || asked.includes(name))
const together = TOGETHER.filter((name) => wanted.includes(name))

const steps = {
  types: () => runNode([bin('typescript/bin/tsc'), '--noEmit', '-p', '.']),
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
for (const [name, work] of Object.entries(steps)) {
  if (!name.split(' ').every((tier) => wanted.includes(tier))) continue
  const began = Date.now()
  print(`\n── ${name}`)
  const ok = await work()
  const counts = countsOf(name, ok)
  passed += counts.passed
  failed += counts.failed
  print(`── ${name}: ${ok ? 'ok' : 'FAILED'} in ${((Date.now() - began) / 1000).toFixed(0)} s`)
}
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

/** Returns the number of tests in the runner's report; a step without one counts as one, as does a file that failed to run. */
function countsOf(name, ok) {
  try {
    const report = JSON.parse(readFileSync(join(results, `${name}.json`), 'utf8'))
    const [good, bad] = 'stats' in report ? countsOfBrowser(report) : countsOfVitest(report)
    return { passed: good, failed: Math.max(bad, ok ? 0 : 1) }
  } catch {
    return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
  }
}

function countsOfBrowser({ stats, errors }) {
  return [stats.expected, stats.unexpected + stats.flaky + errors.length]
}

function countsOfVitest({ numPassedTests, numFailedTests, testResults }) {
  const broken = testResults.filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'))
  return [numPassedTests, numFailedTests + broken.length]
}
