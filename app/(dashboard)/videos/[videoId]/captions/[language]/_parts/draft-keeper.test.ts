import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Cue, parseVtt } from './cue-document.ts'
import { DraftKeeper, type Sent, type Theirs } from './draft-keeper.ts'

const text = (words: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${words}\n`
const cues = (words: string): Cue[] => parseVtt(text(words))
const AT = new Date(0)

class Conflict extends Error {
  readonly theirs: Theirs
  constructor(theirs: Theirs) {
    super('changed')
    this.theirs = theirs
  }
}

/** A server with one draft. It responds to a save when the test calls `answer`. */
class Server {
  revision = 0
  readonly sent: Sent[] = []
  private readonly waiting: (() => void)[] = []
  failure: Error | undefined

  readonly save = (sent: Sent) =>
    new Promise<{ revision: number }>((resolve, reject) => {
      this.sent.push(sent)
      this.waiting.push(() => {
        if (this.failure) return reject(this.failure)
        if (sent.revision !== this.revision) return reject(new Conflict({ revision: this.revision, by: 'ann', at: AT }))
        resolve({ revision: ++this.revision })
      })
    })
  async answer(): Promise<void> {
    this.waiting.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
  }
}

let server: Server
let keeper: DraftKeeper
/** What the browser keeps. */
let kept: Sent | undefined
const opened = cues('opened')
const theirsOf = (error: unknown) => (error instanceof Conflict ? error.theirs : undefined)
const state = () => keeper.saving.state

beforeEach(() => {
  vi.useFakeTimers()
  server = new Server()
  kept = undefined
  const keep = (unsaved: Sent | undefined) => {
    kept = unsaved
  }
  keeper = new DraftKeeper({ save: server.save, theirsOf, keep }, opened, { revision: 0, basedOn: 'a' })
})
afterEach(() => void vi.useRealTimers())

it('saves once after a pause in the work, and again what was changed meanwhile', async () => {
  keeper.change(cues('a'))
  await vi.advanceTimersByTimeAsync(900)
  keeper.change(cues('ab'))
  await vi.advanceTimersByTimeAsync(900)
  expect([state(), server.sent.length]).toEqual(['waiting', 0])
  await vi.advanceTimersByTimeAsync(100)
  expect(server.sent).toEqual([{ text: text('ab'), revision: 0, basedOn: 'a' }])
  keeper.change(cues('abc'))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(server.sent).toHaveLength(1)
  await server.answer()
  expect(state()).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server.sent[1]).toEqual({ text: text('abc'), revision: 1, basedOn: 'a' })
  await server.answer()
  expect([state(), keeper.place.revision]).toEqual(['saved', 2])
})

it('saves work without a pause as well', async () => {
  for (let at = 0; at < 20; at++) {
    keeper.change(cues(`word ${at}`))
    await vi.advanceTimersByTimeAsync(500)
  }
  expect(server.sent).toHaveLength(1)
})

it('has nothing to save when all is undone', async () => {
  keeper.change(cues('a'))
  keeper.change(opened)
  expect(state()).toBe('saved')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(server.sent).toEqual([])
})

it('tries again after a failure, and at once when asked to', async () => {
  server.failure = new Error('unreachable')
  keeper.change(cues('a'))
  const flushed = keeper.flush()
  await server.answer()
  expect(await flushed).toBe(false)
  expect(keeper.saving).toEqual({ state: 'failed', message: 'unreachable' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(server.sent).toHaveLength(2)
  await server.answer()
  server.failure = undefined
  const again = keeper.flush()
  await server.answer()
  expect([await again, state(), server.revision]).toEqual([true, 'saved', 1])
})

it('never saves over the draft of another person before the choice', async () => {
  server.revision = 7
  keeper.change(cues('mine'))
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  expect(keeper.saving).toEqual({ state: 'conflict', theirs: { revision: 7, by: 'ann', at: AT } })
  keeper.change(cues('mine, and more'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([await keeper.flush(), server.sent.length]).toEqual([false, 1])
  keeper.keepMine({ revision: 7, basedOn: 'b' })
  await server.answer()
  expect(server.sent[1]).toEqual({ text: text('mine, and more'), revision: 7, basedOn: 'b' })
  expect([state(), keeper.place]).toEqual(['saved', { revision: 8, basedOn: 'b' }])
})

it('a choice replaces only the draft that was shown', async () => {
  server.revision = 7
  keeper.keepMine({ revision: 0, basedOn: 'b' })
  await server.answer()
  expect(keeper.saving).toMatchObject({ state: 'conflict', theirs: { revision: 7 } })
  server.revision = 8
  keeper.keepMine({ revision: 7, basedOn: 'b' })
  await server.answer()
  expect([keeper.saving, server.revision]).toMatchObject([{ state: 'conflict', theirs: { revision: 8 } }, 8])
})

it('stores a choice that was made during a save', async () => {
  keeper.change(cues('a'))
  await vi.advanceTimersByTimeAsync(1_000)
  keeper.keepMine({ ...keeper.place, basedOn: 'b' })
  await server.answer()
  await server.answer()
  expect(server.sent[1]).toEqual({ text: text('a'), revision: 1, basedOn: 'b' })
  expect(state()).toBe('saved')
})

it('goes on from the other draft where that is the choice', async () => {
  server.revision = 7
  keeper.change(cues('mine'))
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  const theirs = cues('theirs')
  keeper.settle(theirs, { revision: 7, basedOn: 'a' })
  keeper.change(theirs)
  expect(state()).toBe('saved')
  keeper.change(cues('theirs, corrected'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server.sent[1]?.revision).toBe(7)
})

it('publishes the draft with a choice that is still being saved', async () => {
  keeper.keepMine({ revision: 0, basedOn: 'b' })
  const revisions: number[] = []
  const published = keeper.publish(async (revision) => {
    revisions.push(revision)
    return 'c'
  })
  await server.answer()
  expect([await published, revisions]).toEqual([true, [1]])
})

it('publishes what is saved last; what is typed meanwhile is the next draft', async () => {
  keeper.change(cues('a'))
  const publish = vi.fn(async (_revision: number) => {
    keeper.change(cues('ab'))
    return 'b'
  })
  const published = keeper.publish(publish)
  await server.answer()
  expect(await published).toBe(true)
  expect(publish).toHaveBeenCalledExactlyOnceWith(1)
  expect([keeper.place, state()]).toEqual([{ revision: 0, basedOn: 'b' }, 'waiting'])
  server.revision = 0
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  expect(server.sent[1]).toEqual({ text: text('ab'), revision: 0, basedOn: 'b' })
})

it('a refused publication leaves the draft', async () => {
  keeper.change(cues('a'))
  const published = keeper.publish(() => Promise.reject(new Error('captions changed')))
  const refused = expect(published).rejects.toThrow('captions changed')
  await server.answer()
  await refused
  expect([keeper.place, state()]).toEqual([{ revision: 1, basedOn: 'a' }, 'saved'])
})

it('saves as the page closes, and says where the browser may be faster', async () => {
  expect(keeper.leave()).toBe(true)
  keeper.change(cues('a'))
  expect(keeper.leave()).toBe(true)
  expect(server.sent).toHaveLength(1)
  // The save that is on its way has the older text.
  keeper.change(cues('ab'))
  expect(keeper.leave()).toBe(false)
  await server.answer()
  await server.answer()
  expect([state(), server.sent[1]?.text]).toEqual(['saved', text('ab')])
  keeper.change(cues('a'.repeat(20_000)))
  expect(keeper.leave()).toBe(false)
})

it('keeps in the browser what the server has not accepted', async () => {
  keeper.change(cues('a'))
  await vi.advanceTimersByTimeAsync(300)
  expect(kept).toEqual({ text: text('a'), revision: 0, basedOn: 'a' })
  await vi.advanceTimersByTimeAsync(700)
  keeper.change(cues('ab'))
  await vi.advanceTimersByTimeAsync(300)
  await server.answer()
  expect(kept?.text).toBe(text('ab'))
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  expect([state(), kept]).toEqual(['saved', undefined])

  server.failure = new Error('unreachable')
  keeper.change(cues('abc'))
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  expect([state(), kept]).toEqual(['failed', { text: text('abc'), revision: 2, basedOn: 'a' }])
  keeper.change(cues('abcd'))
  keeper.leave()
  expect(kept?.text).toBe(text('abcd'))
  keeper.settle(cues('theirs'), { revision: 3, basedOn: 'a' })
  expect(kept).toBeUndefined()
})

it('keeps what collides with the draft of another person, until the choice is saved', async () => {
  server.revision = 7
  keeper.change(cues('mine'))
  await vi.advanceTimersByTimeAsync(1_000)
  await server.answer()
  expect([state(), kept]).toEqual(['conflict', { text: text('mine'), revision: 0, basedOn: 'a' }])
  keeper.keepMine({ revision: 7, basedOn: 'a' })
  expect(kept?.text).toBe(text('mine'))
  await server.answer()
  expect([state(), kept]).toEqual(['saved', undefined])
})
