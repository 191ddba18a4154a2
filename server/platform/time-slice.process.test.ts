import { spawnSync } from 'node:child_process'
import { release } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PRINT_SLICE } from '../testing/time-slice.ts'
import { IDLE_CLASS } from './time-slice.ts'

const [major = 0, minor = 0] = release().split('.').map(Number)
const hasSlices = process.platform === 'linux' && (major > 6 || (major === 6 && minor >= 12))
const run = ([program = '', ...args]: string[], ...command: string[]) => spawnSync(program, [...args, ...command], { encoding: 'utf8' })
const works = (prefix: string[]) => prefix.length > 0 && run(prefix, 'true').status === 0

const using = (tool: string) => IDLE_CLASS.find(([program, option]) => program === tool && option !== '--idle') ?? []

it.for([
  { tool: 'chrt', prefix: using('chrt') },
  { tool: 'perl', prefix: using('perl') },
])('$tool sets the idle class and a longer slice, which a shell and its children keep', ({ prefix }, { skip }) => {
  skip(!hasSlices || !works(prefix), 'This system does not have it.')
  expect(run(prefix, 'sh', '-c', '"$@"; exit 0', 'sh', ...PRINT_SLICE).stdout).toBe('10000000')
  expect(run(prefix, 'sh', '-c', 'cat /proc/self/stat; exit 0').stdout.split(') ')[1]?.split(' ')[38]).toBe('5')
})

it('passes arguments and the exit code of the command on', () => {
  for (const prefix of IDLE_CLASS.filter(works)) {
    expect(run(prefix, 'sh', '-c', 'echo "$1"; exit 7', 'sh', 'a "b" $c')).toMatchObject({ status: 7, stdout: 'a "b" $c\n' })
  }
})

it('gives a process and what it starts a longer time slice, unless an operator has chosen a class or nice value', ({ skip }) => {
  const code = `
    const { lengthenTimeSlice } = await import(${JSON.stringify(join(import.meta.dirname, 'time-slice.ts'))})
    lengthenTimeSlice()
    const { spawnSync } = await import('node:child_process')
    const [program, ...args] = ${JSON.stringify(PRINT_SLICE)}
    process.stdout.write(spawnSync(program, args, { encoding: 'utf8' }).stdout)`
  const sliceOfProcess = (...prefix: string[]) => run([...prefix, process.execPath], '--input-type=module', '-e', code).stdout
  skip(!hasSlices || !(works(using('chrt')) || works(using('perl'))), 'This system does not have it.')
  expect(sliceOfProcess()).toBe('10000000')
  expect(sliceOfProcess('nice', '-n', '1')).not.toBe('10000000')
  expect(sliceOfProcess('chrt', '--batch', '0')).not.toBe('10000000')
})
