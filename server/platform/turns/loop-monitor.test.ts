import { beforeEach, describe, expect, it } from 'vitest'
import { logLines } from '../../testing/logs.ts'
import { services } from '../container.ts'
import { asCaller, asService, type Caller, currentSubject, LastCaller, lastCaller } from './caller.ts'
import { LoopMonitor, slowTurns } from './loop-monitor.ts'

const [ANN, BOB, CID] = ['ann', 'bob', 'cid'].map((accountId): Caller => ({ accountId })) as [Caller, Caller, Caller]

/** Begins a monitor whose clocks are the test's. `turn` lasts so long, takes so much processor time, and is checked at its end. */
function watched() {
  services().lastCaller = new LastCaller()
  const clock = { at: 1e6, spent: 0 }
  const monitor = new LoopMonitor(({ accountId }) => `request of ${accountId}`, { now: () => clock.at, cpuMs: () => clock.spent })
  const turn = (cpuMs: number, ms = cpuMs, notes: [afterMs: number, Caller | undefined][] = []) => {
    for (const [afterMs, caller] of notes) lastCaller().note(caller, clock.at + afterMs)
    clock.at += ms
    clock.spent += cpuMs
    monitor.check()
  }
  const lines = logLines()
  return { turn, reports: () => lines.filter(({ msg }) => msg === 'a turn of the event loop took long') }
}

const counted = () => slowTurns.read()[0]?.value

describe('LoopMonitor', () => {
  let before = 0
  beforeEach(() => {
    before = counted() ?? 0
  })

  it('reports a turn of more than 50 ms of processor time, and none that waited for a processor', () => {
    const { turn, reports } = watched()
    turn(50)
    turn(10, 5_000)
    expect([reports(), counted()]).toEqual([[], before])
    turn(51)
    expect(counted()).toBe(before + 1)
    expect(reports()).toMatchObject([{ level: 'warn', cpuMs: 51, unreported: 0 }])
  })

  it('names who did something last before the longest pause of the turn, and no caller for work of the process', () => {
    const { turn, reports } = watched()
    turn(1, 10, [[0, CID]])
    // Bob begins after 5 ms and holds the loop for 90 ms.
    turn(100, 105, [
      [1, ANN],
      [4, CID],
      [5, BOB],
      [95, ANN],
    ])
    turn(1, 10_000)
    turn(60)
    turn(1, 10_000, [[5_000, undefined]])
    turn(60)
    const named = (account: string) => ({ request: `request of ${account}`, account })
    expect(reports().map(({ probably }) => probably)).toEqual([named('bob'), named('ann'), undefined])
  })

  it('writes one line in ten seconds, and counts each turn', () => {
    const { turn, reports } = watched()
    for (let at = 0; at < 3; at++) turn(60)
    turn(1, 10_000)
    turn(60)
    expect(counted()).toBe(before + 4)
    expect(reports()).toMatchObject([{ unreported: 0 }, { unreported: 2 }])
  })

  it('knows whoever makes a request or takes a turn', () => {
    const { turn, reports } = watched()
    asCaller(ANN, () => {
      lastCaller().note(BOB)
      currentSubject()
    })
    turn(60)
    asService(currentSubject)
    turn(1, 10_000)
    turn(60)
    expect(reports().map(({ probably }) => probably)).toEqual([{ request: 'request of ann', account: 'ann' }, undefined])
  })
})
