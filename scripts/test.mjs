// `npm test`: everything, in order of how soon it can fail. `npm test -- unit` runs one step (types lint unit built browser).
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, environment, install, node, root, say } from './prepare.mjs'

install({ dev: true })
build({ pages: false })

const results = join(root, '.cache/results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const bin = (name) => join('node_modules', name)
const steps = {
  types: () => runNode([bin('typescript/bin/tsc'), '--noEmit', '-p', '.']),
  lint: () => runNode([bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  unit: () => vitest('unit'),
  built: () => {
    build()
    return vitest('built', ['--config', 'vitest.built.config.ts'])
  },
  browser: () => {
    build()
    return runNode([bin('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts'], {
      PLAYWRIGHT_JSON_OUTPUT_FILE: `${results}/browser.json`,
    })
  },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in steps))
if (unknown.length > 0) {
  say(`There is no step ${unknown.join(', ')}. Steps: ${Object.keys(steps).join(', ')}.`)
  process.exit(1)
}

let passed = 0
let failed = 0
for (const [name, step] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const began = Date.now()
  say(`\n── ${name}`)
  const ok = step()
  const counts = countsOf(name, ok)
  passed += counts.passed
  failed += counts.failed
  say(`── ${name}: ${ok ? 'ok' : 'FAILED'} in ${((Date.now() - began) / 1000).toFixed(0)} s`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function vitest(name, args = []) {
  return runNode([
    bin('vitest/vitest.mjs'),
    'run',
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}/${name}.json`,
  ])
}

function runNode(args, env = {}) {
  return spawnSync(node(), args, { cwd: root, stdio: 'inherit', env: environment(env) }).status === 0
}

/** Tests counted by their runner's report; a step without one counts as one. */
function countsOf(name, ok) {
  try {
    const report = JSON.parse(readFileSync(join(results, `${name}.json`), 'utf8'))
    const [good, bad] =
      'stats' in report
        ? [report.stats.expected, report.stats.unexpected + report.stats.flaky]
        : [report.numPassedTests, report.numFailedTests]
    return { passed: good, failed: Math.max(bad, ok ? 0 : 1) }
  } catch {
    return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
  }
}
