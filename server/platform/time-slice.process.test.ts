import { spawnSync } from 'node:child_process'
import { getPriority, release } from 'node:os'
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

it('keeps the nice value of the process in the idle class, as only root may lower it', ({ skip }) => {
  skip(!works(using('perl')), 'This system does not have it.')
  expect(run(['nice', '-n', '10', ...using('perl')], 'sh', '-c', 'nice; exit 0').stdout).toBe('10\n')
})

it('passes arguments and the exit code of the command on', () => {
  for (const prefix of IDLE_CLASS.filter(works)) {
    expect(run(prefix, 'sh', '-c', 'echo "$1"; exit 7', 'sh', 'a "b" $c')).toMatchObject({ status: 7, stdout: 'a "b" $c\n' })
  }
})

/** Runs a function of the module in a process of its own. Returns the slices and nice values of its threads, and those of a process that it starts. */
function prioritiesAfter(name: 'lengthenTimeSlice' | 'yieldToRequests', ...prefix: string[]) {
  const module = (path: string) => JSON.stringify(join(import.meta.dirname, path))
  const code = `
    const { ${name} } = await import(${module('time-slice.ts')})
    ${name}()
    const { spawnSync } = await import('node:child_process')
    const { readdirSync } = await import('node:fs')
    const { getPriority } = await import('node:os')
    const { PRINT_SLICE, sliceOf } = await import(${module('../testing/time-slice.ts')})
    const priorities = {
      threads: readdirSync('/proc/self/task').map((thread) => [sliceOf(thread), getPriority(Number(thread))]),
      child: [spawnSync(PRINT_SLICE[0], PRINT_SLICE.slice(1), { encoding: 'utf8' }).stdout, Number(spawnSync('nice', { encoding: 'utf8' }).stdout)],
    }
    process.stdout.write(JSON.stringify(priorities))`
  const { threads, child } = JSON.parse(run([...prefix, process.execPath], '--input-type=module', '-e', code).stdout)
  expect(threads.length).toBeGreaterThan(1)
  return { threads: [...new Set(threads.map(String))], child: String(child) }
}

const canLengthen = hasSlices && (works(using('chrt')) || works(using('perl')))

it('gives each thread of a process and what it starts a longer time slice, unless an operator has chosen a class or nice value', ({
  skip,
}) => {
  skip(!canLengthen || getPriority() !== 0, 'This system does not have it.')
  expect(prioritiesAfter('lengthenTimeSlice')).toEqual({ threads: ['10000000,0'], child: '10000000,0' })
  expect(prioritiesAfter('lengthenTimeSlice', 'nice', '-n', '1').child).not.toMatch(/^10000000,/)
  expect(prioritiesAfter('lengthenTimeSlice', 'chrt', '--batch', '0').child).not.toMatch(/^10000000,/)
})

it('gives each thread of a worker a tenth of the weight of a process that serves requests, unless an operator has chosen a nice value', ({
  skip,
}) => {
  skip(!canLengthen || getPriority() !== 0, 'This system does not have it.')
  expect(prioritiesAfter('yieldToRequests')).toEqual({ threads: ['10000000,10'], child: '10000000,10' })
  expect(prioritiesAfter('yieldToRequests', 'nice', '-n', '1').child).toMatch(/,1$/)
})
