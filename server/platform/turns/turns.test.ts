import { describe, expect, it } from 'vitest'
import { asPlaybackError, asServiceError } from '../../errors.ts'
import type { Subject } from './caller.ts'
import { TurnRefused, Turns } from './turns.ts'

const BOUNDS = { name: 'requests', places: 1, share: 1, queue: 2, retryAfter: 7 } as const
const ANN: Subject = ['ann', '']
const BOB: Subject = ['bob', '']

/** Takes turns, and records who began in which order; `end` ends the turn of the one that began first and has not ended. */
function line(turns: Turns) {
  const began: string[] = []
  const held: { end(pauseMs?: number): void }[] = []
  const ask = async (subject: Subject, name: string = subject.join('')) => {
    const turn = await turns.take(subject)
    began.push(name)
    held.push(turn)
  }
  const end = async (pauseMs?: number) => {
    await new Promise(setImmediate)
    held.shift()?.end(pauseMs)
    await new Promise(setImmediate)
  }
  return { began, ask, end }
}

describe('Turns', () => {
  it('runs as many at once as there are places, and refuses the one beyond the queue of a group', async () => {
    const turns = new Turns(BOUNDS)
    const { began, ask, end } = line(turns)
    const admitted = ['1', '2', '3'].map((name) => ask(ANN, name))
    await expect(ask(ANN)).rejects.toBeInstanceOf(TurnRefused)
    expect(turns.load()).toEqual({ running: 1, waiting: 2 })
    for (const _ of admitted) await end()
    await Promise.all(admitted)
    expect(began).toEqual(['1', '2', '3'])
    expect(turns.load()).toEqual({ running: 0, waiting: 0 })
  })

  it('lets groups take turns, however many of one wait', async () => {
    const { began, ask, end } = line(new Turns({ ...BOUNDS, queue: 100 }))
    const all = [ANN, ANN, ANN, ANN, BOB, BOB].map((who) => ask(who))
    for (const _ of all) await end()
    await Promise.all(all)
    expect(began).toEqual(['ann', 'ann', 'bob', 'ann', 'bob', 'ann'])
  })

  it('lets the members of a group take turns within its turns', async () => {
    const { began, ask, end } = line(new Turns({ ...BOUNDS, queue: 100 }))
    const all = [ask(['ann', '1']), ask(['ann', '1']), ask(['ann', '1']), ask(['ann', '2']), ask(BOB)]
    for (const _ of all) await end()
    await Promise.all(all)
    expect(began).toEqual(['ann1', 'ann1', 'bob', 'ann2', 'ann1'])
  })

  it('leaves places free for a newcomer, and gives a group no more than its share while others wait', async () => {
    const turns = new Turns({ ...BOUNDS, places: 4, share: 1, alone: 3, queue: 100 })
    const { began, ask, end } = line(turns)
    const all = [ANN, ANN, ANN, ANN, BOB, BOB].map((who) => ask(who))
    // Three of Ann's run, and one place was free for Bob. His next one waits, so that hers get no place that she gives back.
    expect(turns.load('ann')).toEqual({ running: 3, waiting: 1 })
    expect(turns.load('bob')).toEqual({ running: 1, waiting: 1 })
    await end()
    expect(turns.load('ann')).toEqual({ running: 2, waiting: 1 })
    for (let left = 5; left > 0; left--) await end()
    await Promise.all(all)
    expect(began).toEqual(['ann', 'ann', 'ann', 'bob', 'ann', 'bob'])
  })

  it('admits a member without a waiting turn when another member fills the queue of their group', async () => {
    const { began, ask, end } = line(new Turns(BOUNDS))
    const admitted = [ask(['ann', '1']), ask(['ann', '1']), ask(['ann', '1']), ask(['ann', '2'])]
    await expect(ask(['ann', '1'])).rejects.toMatchObject({ isOwn: true })
    for (const _ of admitted) await end()
    await Promise.all(admitted)
    expect(began).toEqual(['ann1', 'ann1', 'ann2', 'ann1'])
  })

  it('admits a group without a waiting turn when the queue of all is full', async () => {
    const { ask, end, began } = line(new Turns({ ...BOUNDS, queue: 100, waiting: 2 }))
    const admitted = [ask(ANN), ask(ANN), ask(ANN), ask(BOB)]
    await expect(ask(ANN)).rejects.toMatchObject({ isOwn: false })
    for (const _ of admitted) await end()
    await Promise.all(admitted)
    expect(began.at(1)).toBe('ann')
    expect(began.at(2)).toBe('bob')
  })

  it('keeps the share of a group smaller during its pause, and no place of others', async () => {
    const turns = new Turns({ ...BOUNDS, places: 2, queue: 100 })
    const { began, ask, end } = line(turns)
    const all = [ask(ANN), ask(ANN)]
    await end(20)
    expect([began, turns.load('ann')]).toEqual([['ann'], { running: 1, waiting: 1 }])
    await Promise.all([ask(BOB), ask(['cid', ''])])
    await end()
    await Promise.all(all)
    expect(began).toEqual(['ann', 'bob', 'cid', 'ann'])
  })

  it('passes the place on when work fails', async () => {
    const turns = new Turns(BOUNDS)
    const failing = turns.run(ANN, () => Promise.reject(new Error('broken')))
    const next = turns.run(ANN, async () => 'done')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })

  it('gives up the turn of a caller who left, and one that waits for too long', async () => {
    const turns = new Turns({ ...BOUNDS, waitMs: 1 })
    const first = await turns.take(ANN)
    const left = new AbortController()
    const leaving = turns.take(ANN, left.signal)
    left.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    await expect(turns.take(BOB)).rejects.toMatchObject({ isOwn: false })
    await expect(turns.take(ANN)).rejects.toMatchObject({ isOwn: true })
    expect(turns.load()).toEqual({ running: 1, waiting: 0 })
    first.end()
    first.end()
    expect(turns.load()).toEqual({ running: 0, waiting: 0 })
  })

  it('refuses at once without a queue: by the share of the group, or because the others hold all places', () => {
    const turns = new Turns({ ...BOUNDS, places: 3, queue: 0, share: 2 })
    turns.take(ANN)
    turns.take(ANN)
    expect(() => turns.take(ANN)).toThrow(expect.objectContaining({ isOwn: true }))
    turns.take(BOB)
    expect(() => turns.take(['cid', ''])).toThrow(expect.objectContaining({ isOwn: false }))
  })

  it('is refused with 429 by the queue of its own group, otherwise with 503', () => {
    const [own, all] = [true, false].map((isOwn) => asServiceError(new TurnRefused(BOUNDS, isOwn)))
    expect(own).toMatchObject({ code: 'TOO_MANY_ATTEMPTS', extras: { retryAfter: 7, details: { reason: 'queue', queue: 'requests' } } })
    expect(all).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 7 } })
    // Of tokens and playback, 429 means that the quota is used up.
    expect(asPlaybackError(new TurnRefused(BOUNDS, true))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 7 } })
  })
})
