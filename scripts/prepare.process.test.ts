import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'reelgate-prepare-'))
afterAll(() => rmSync(root, { recursive: true }))

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
/** A program that adds its arguments to a file instead of doing its work. */
const recorder = (name: string) =>
  `require('node:fs').appendFileSync(${JSON.stringify(join(root, 'calls'))}, '${name} ' + process.argv.slice(2).join(' ') + '\\n')`
const calls = () => {
  const made = existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : []
  rmSync(join(root, 'calls'), { force: true })
  return made.map((line) => line.replace(/--(ignore|no|loglevel)\S+ ?/g, '').trim())
}

mkdirSync(join(root, 'scripts'))
for (const name of ['arguments.mjs', 'prepare.mjs', 'build.mjs']) copyFileSync(join(import.meta.dirname, name), join(root, 'scripts', name))
write('package.json', '{}')
write('package-lock.json', JSON.stringify({ packages: { 'node_modules/kept': {}, 'node_modules/peer': { devOptional: true } } }))
write('prisma/schema.prisma', '')
write(
  'scripts/complete-packages.ts',
  `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(join(root, 'calls'))}, 'complete\\n')`,
)
write('npm-cli.js', recorder('npm'))
write('node_modules/prisma/build/index.js', recorder('prisma'))
write('node_modules/next/dist/bin/next', recorder('next'))
for (const name of ['kept', 'peer']) write(`node_modules/${name}/index.js`, '')

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { NODE_ENV: 'test', PATH: process.env.PATH, npm_execpath: join(root, 'npm-cli.js') },
  })
  expect(status, stderr).toBe(0)
  return stdout
}
/** What `npm start` does before it runs the server. */
const START = `const { build, install, isBuilt } = await import('./scripts/prepare.mjs'); await install({ dev: !isBuilt() }); await build()`
const start = () => void run('--input-type=module', '-e', START)

it('a first start installs every package and builds, and a second one does neither', () => {
  start()
  expect(calls()).toEqual(['npm install --include=dev', 'complete', 'prisma generate', 'next build'])
  start()
  expect(calls()).toEqual([])
})

it('build --prune removes the packages for builds and those of optional peers; a start then installs and builds nothing', () => {
  run('scripts/build.mjs', '--prune')
  expect(calls()).toEqual(['complete', 'npm install --omit=dev'])
  expect(['kept', 'peer'].map((name) => existsSync(join(root, 'node_modules', name)))).toEqual([true, false])
  start()
  expect(calls()).toEqual([])
})

it('a start after a change of the pages installs the packages for builds again', () => {
  write('app/page.tsx', 'changed')
  start()
  expect(calls()).toEqual(['npm install --include=dev', 'complete', 'next build'])
})
