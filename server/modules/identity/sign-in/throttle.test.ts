import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { deviceCookie, knownDevice } from './known-device.ts'
import { Throttle, throttledSignIn } from './throttle.ts'

describe('Throttle', () => {
  it('allows a burst, then one attempt at a time', () => {
    let now = 0
    const throttle = new Throttle(() => now)
    const take = () => throttle.take('x', { burst: 3, everyMs: 1_000 })
    expect([take(), take(), take()]).toEqual([0, 0, 0])
    expect(take()).toBe(1_000)
    now = 400
    expect(take()).toBe(600)
    now = 1_000
    expect([take(), take()]).toEqual([0, 1_000])
    now = 1_000_000
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 1_000])
  })

  it('does not count returned attempts', () => {
    const throttle = new Throttle(() => 0)
    for (let i = 0; i < 50; i++) {
      expect(throttle.take('x', { burst: 1, everyMs: 1_000 })).toBe(0)
      throttle.refund('x')
    }
  })
})

/** Limits under a clock that the test advances: waiting attempts resume at their time, in order. */
class Watched {
  private time = 0
  private waiting: { at: number; go: () => void }[] = []
  longest = 0
  readonly limits = new Throttle(
    () => this.time,
    (ms) => {
      this.longest = Math.max(this.longest, ms)
      return new Promise<void>((go) => this.waiting.push({ at: this.time + ms, go }))
    },
  )
  get queued(): number {
    return this.waiting.length
  }
  async pass(ms: number): Promise<void> {
    const end = this.time + ms
    for (;;) {
      const [next] = this.waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
      if (!next) break
      this.time = next.at
      this.waiting = this.waiting.filter((one) => one !== next)
      next.go()
      await new Promise((go) => setImmediate(go))
    }
    this.time = end
  }
}

describe('throttledSignIn', () => {
  const fail = async () => undefined
  const succeed = async () => 'in'
  const from = (address: string, known?: string) => ({ address, known })
  const someone = () => `${randomUUID()}@example.com`
  const guess = (watched: Watched, email: string, address: string, count: number) =>
    Array.from({ length: count }, () => throttledSignIn(email, from(address), fail, watched.limits).catch((error) => error.code))

  it('allows ten attempts at once, then one every 5 s, each after a wait', async () => {
    const watched = new Watched()
    let made = 0
    const count = async () => void made++
    const email = someone()
    const all = Array.from({ length: 13 }, () => throttledSignIn(email, from('here'), count, watched.limits))
    expect([made, watched.queued]).toEqual([10, 3])
    await watched.pass(4_999)
    expect(made).toBe(10)
    await watched.pass(1)
    expect(made).toBe(11)
    await watched.pass(10_000)
    await Promise.all(all)
    expect(made).toBe(13)
  })

  it('accepts the correct password from the address of an attack within 30 s', async () => {
    const watched = new Watched()
    const email = someone()
    const guesses = guess(watched, email, 'office', 15)
    const owner = throttledSignIn(email, from('office'), succeed, watched.limits)
    await watched.pass(30_000)
    expect(await owner).toBe('in')
    expect(watched.longest).toBeLessThanOrEqual(30_000)
    await Promise.all(guesses)
  })

  it('accepts it repeatedly during an attack, always in bounded time', async () => {
    const watched = new Watched()
    const email = someone()
    const guesses: Promise<unknown>[] = []
    for (let round = 0; round < 20; round++) {
      guesses.push(...guess(watched, email, 'office', round === 0 ? 14 : 4))
      const owner = throttledSignIn(email, from('office'), succeed, watched.limits)
      await watched.pass(30_000)
      expect(await owner).toBe('in')
    }
    await Promise.all(guesses)
  })

  it('limits an attack: of a thousand concurrent attempts 16 run, and the rest are refused with `retryAfter`', async () => {
    const watched = new Watched()
    const email = someone()
    const answers = guess(watched, email, 'office', 1_000)
    await expect(throttledSignIn(email, from('office'), succeed, watched.limits)).rejects.toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      message: 'Too many attempts. Try again in 5 seconds.',
      extras: { retryAfter: 5 },
    })
    await watched.pass(60_000)
    const came = await Promise.all(answers)
    expect(came.filter((code) => code === undefined)).toHaveLength(16)
  })

  it('gives a known device a separate limit, however full the queue is', async () => {
    const watched = new Watched()
    const email = someone()
    const guesses = guess(watched, email, 'office', 1_000)
    for (let round = 0; round < 50; round++)
      expect(await throttledSignIn(email, from('office', 'phone'), succeed, watched.limits)).toBe('in')
    const stolen = Array.from({ length: 30 }, () =>
      throttledSignIn(email, from('far', 'phone'), fail, watched.limits).catch((error) => error.code),
    )
    await watched.pass(60_000)
    expect((await Promise.all(stolen)).filter((code) => code === undefined)).toHaveLength(16)
    await Promise.all(guesses)
  })

  it('delays attempts by 2 s for a user under attack from many addresses, and refuses none', async () => {
    const watched = new Watched()
    const email = someone()
    const guesses = Array.from({ length: 60 }, (_, at) => throttledSignIn(email, from(`bot ${at}`), fail, watched.limits))
    expect(watched.queued).toBe(30)
    const owner = throttledSignIn(email, from('home'), succeed, watched.limits)
    await watched.pass(1_999)
    expect(watched.queued).toBe(31)
    await watched.pass(1)
    expect(await owner).toBe('in')
    await Promise.all(guesses)
    // Another user and the attacked user's known device are not delayed.
    expect(await throttledSignIn(someone(), from('home'), succeed, watched.limits)).toBe('in')
    expect(await throttledSignIn(email, from('home', 'phone'), succeed, watched.limits)).toBe('in')
    expect(watched.longest).toBe(2_000)
  })

  it('does not count correct passwords', async () => {
    const watched = new Watched()
    const email = someone()
    for (let i = 0; i < 200; i++) expect(await throttledSignIn(email, from('home'), succeed, watched.limits)).toBe('in')
  })

  it('delays an address that attempts many users, and queues other users there', async () => {
    const watched = new Watched()
    const tries = Array.from({ length: 110 }, () => throttledSignIn(someone(), from('office'), fail, watched.limits))
    expect(watched.queued).toBe(10)
    const owner = throttledSignIn(someone(), from('office'), succeed, watched.limits)
    await watched.pass(30_000)
    expect(await owner).toBe('in')
    await Promise.all(tries)
  })

  it('keeps its buckets, however many users a refused address attempts', async () => {
    const watched = new Watched()
    const email = someone()
    const guesses = guess(watched, email, 'guesser', 16)
    const flood = Array.from({ length: 50_200 }, (_, at) =>
      throttledSignIn(`${at}@example.com`, from('flooder'), fail, watched.limits).catch((error) => error.code),
    )
    await expect(throttledSignIn(email, from('guesser'), succeed, watched.limits)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
    await watched.pass(60_000)
    await Promise.all([...guesses, ...flood])
  })
})

describe('IPv6', () => {
  const fail = async () => undefined
  it('counts by /48 as well as by /64: a site that changes its network guesses no faster than four', async () => {
    const watched = new Watched()
    const email = `${randomUUID()}@example.com`
    const from = (network: number) => ({ address: `2001:db8:7:${network.toString(16)}`, known: undefined })
    const tries = Array.from({ length: 200 }, (_, at) =>
      throttledSignIn(email, from(at), fail, watched.limits).catch((error) => error.code),
    )
    // Another site is not delayed.
    expect(await throttledSignIn('else@example.com', { address: '2001:db8:8:1', known: undefined }, async () => 'in', watched.limits)).toBe(
      'in',
    )
    await watched.pass(60_000)
    expect((await Promise.all(tries)).filter((code) => code === undefined)).toHaveLength(4 * 16)
  })
})

describe('knownDevice', () => {
  const ada = 'ada@example.com'
  beforeEach(() => provide({ BASE_URL: 'http://localhost', REELGATE_SECRET: 'a secret of this test alone, long enough' }))
  const pair = (line: string) => line.slice(0, line.indexOf(';'))

  it('recognizes the five most recent users who signed in from the device, and no others', () => {
    const first = deviceCookie(undefined, ada)
    expect(first).toMatch(/^reelgate\.device=[\w.-]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/)
    const id = knownDevice(pair(first), ada)
    expect(id).toMatch(/^[\w-]{22}$/)
    expect(knownDevice(pair(first), 'eve@example.com')).toBeUndefined()
    let line = first
    for (const name of ['b', 'c', 'd', 'e']) line = deviceCookie(`other=1; ${pair(line)}`, `${name}@example.com`)
    expect(knownDevice(`${pair(line)}; other=1`, ada)).toBe(id)
    line = deviceCookie(pair(line), 'f@example.com')
    expect(knownDevice(pair(line), ada)).toBeUndefined()
    expect(knownDevice(pair(line), 'f@example.com')).toBe(id)
    expect(line).not.toMatch(/example/)
  })

  it('rejects a forged cookie', () => {
    const cookie = pair(deviceCookie(undefined, ada))
    const [name = '', value = ''] = cookie.split('=')
    const [id = '', person = '', seal = ''] = value.split('.')
    for (const forged of [
      `other.${person}.${seal}`,
      `${id}.${person}.${seal.slice(1)}`,
      `${id}.${person}`,
      `${id}.${person}.${seal.startsWith('x') ? 'y' : 'x'}${seal.slice(1)}`,
      '',
    ])
      expect(knownDevice(`${name}=${forged}`, ada)).toBeUndefined()
    expect(knownDevice(undefined, ada)).toBeUndefined()
  })

  it('sends the cookie to this host alone, over https', () => {
    provide({ BASE_URL: 'https://video.example.com' })
    expect(deviceCookie(undefined, ada)).toMatch(/^__Host-reelgate\.device=.*; Path=\/;.*; Secure$/)
  })
})
