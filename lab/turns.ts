import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Long enough for caches to fill again, and shorter than the lease of a task, which a worker cannot renew while it is stopped. */
const TURN_MS = 4_000

/** Work of other processes. */
export interface Turn {
  /** Resolves with the moment of the end, in milliseconds since 1970. */
  ended: Promise<number>
  /** Returns its processes. */
  processes(): number[] | Promise<number[]>
}

/**
 * Lets works run in turns until all have ended, each with the whole machine. Returns the seconds that each took, without those in which it
 * was stopped. A machine whose speed changes by the minute slows all of them down alike.
 */
export async function inTurns(works: readonly Turn[]): Promise<number[]> {
  const seconds = works.map(() => 0)
  const running = new Set(works.keys())
  for (const [at, { ended }] of works.entries())
    void ended.then(
      () => running.delete(at),
      () => running.delete(at),
    )
  for (const work of works) await signalAll(work, 'SIGSTOP')
  try {
    while (running.size > 0)
      for (const at of [...running]) {
        const work = works[at] as Turn
        const began = Date.now()
        await signalAll(work, 'SIGCONT')
        const endedAt = await Promise.race([work.ended, wait(TURN_MS)])
        if (endedAt === undefined) await signalAll(work, 'SIGSTOP')
        seconds[at] = (seconds[at] ?? 0) + Math.max(0, (endedAt ?? Date.now()) - began) / 1_000
      }
  } finally {
    for (const work of works) await signalAll(work, 'SIGCONT')
  }
  return seconds
}

/** Signals all processes of a work, also those that it starts meanwhile. */
async function signalAll({ processes }: Turn, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const signalled = new Set<number>()
  for (;;) {
    const more = (await processes()).filter((pid) => !signalled.has(pid))
    if (more.length === 0) return
    for (const pid of more) {
      signalled.add(pid)
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended.
      }
    }
  }
}

/** Returns a process and all that descend from it. */
export function familyOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(Number(name))
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const family = [root]
  for (const pid of family) family.push(...(children.get(pid) ?? []))
  return family
}

/** Field 4 of its status, whose second one may contain spaces; undefined when it has ended. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return undefined
  }
}
