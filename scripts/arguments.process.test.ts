import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** The commands that are programs of this project: [name, file]. */
const programs = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file] = /^(?:exec )?node (scripts\/\S+)$/.exec(line) ?? []
  return file ? [[name, file] as const] : []
})
const run = (file: string, ...args: string[]) => spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: 'utf8' })

it('reads the commands of package.json', () => {
  expect(programs.map(([name]) => name)).toEqual(expect.arrayContaining(['demo', 'start', 'test', 'conformance', 'env-example']))
})

// Commander answers for `operator`; its own test covers it.
describe.each(programs.filter(([name]) => name !== 'operator'))('npm run %s', (name, file) => {
  it('names an option that it does not have, and its usage, without a stack', () => {
    const { status, stdout, stderr } = run(file, '--unknown')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Unknown option '--unknown'/)
    expect(stderr).toMatch(new RegExp(`\nnpm (?:run )?${name}`))
    expect(stderr).not.toMatch(/^ {4}at /m)
  })
})

it('--help prints the usage', () => {
  expect(run('scripts/demo.mjs', '--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('--once') })
})

it.each([
  ['demo.mjs', ['x'], "Unexpected argument 'x'."],
  ['screens.mjs', ['pages'], "Unexpected argument 'pages'."],
  ['build.mjs', ['--embedded-postgres'], '--embedded-postgres is an option of --slim.'],
  ['soak.mjs', ['nothing'], 'Unknown soak test: nothing.'],
  ['test.mjs', ['fast'], 'There is no tier fast.'],
])('scripts/%s refuses %j', (file, args, reason) => {
  const { status, stderr } = run(`scripts/${file}`, ...args)
  expect([status, stderr.split('\n')[0]]).toEqual([2, reason])
})
