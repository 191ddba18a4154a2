import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Returns the CPU seconds of a process and of its children that have ended. Linux counts in hundredths. */
export function cpuSeconds(pid: number | 'self' = 'self'): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

/**
 * Restricts a process, its threads and the programs that it starts from now on to one core, as a machine of one core would. Returns whether the
 * system can (`taskset` of util-linux).
 */
export const pinToCore = (pid: number, number: number): boolean =>
  spawnSync('taskset', ['-a', '-p', '-c', String(number % availableParallelism()), String(pid)]).status === 0
