import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Throttle, throttledSignIn } from './throttle.ts'

describe('a throttle', () => {
  it('allows a burst, then one try at a time', () => {
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

  it('forgets tries that are given back', () => {
    const throttle = new Throttle(() => 0)
    for (let i = 0; i < 50; i++) {
      expect(throttle.take('x', { burst: 1, everyMs: 1_000 })).toBe(0)
      throttle.giveBack('x')
    }
  })
})

describe('signing in', () => {
  const fail = async () => undefined
  const succeed = async () => 'in'

  it('refuses after ten wrong passwords for one person from one address, and says for how long', async () => {
    const [email, address] = [`${randomUUID()}@example.com`, randomUUID()]
    const attempts = await Promise.allSettled(Array.from({ length: 14 }, () => throttledSignIn(email, address, fail)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    await expect(throttledSignIn(email, address, succeed)).rejects.toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      message: expect.stringMatching(/^Too many attempts\. Try again in \d+ seconds?\.$/),
      extras: { retryAfter: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 30) },
    })
  })

  it('never locks a person out: from elsewhere they still get in', async () => {
    const email = `${randomUUID()}@example.com`
    const attacker = randomUUID()
    await Promise.allSettled(Array.from({ length: 20 }, () => throttledSignIn(email, attacker, fail)))
    expect(await throttledSignIn(email, randomUUID(), succeed)).toBe('in')
  })

  it('counts nothing against people who know their password', async () => {
    const [email, address] = [`${randomUUID()}@example.com`, randomUUID()]
    for (let i = 0; i < 200; i++) expect(await throttledSignIn(email, address, succeed)).toBe('in')
  })

  it('refuses an address that tries many people', async () => {
    const address = randomUUID()
    const attempts = await Promise.allSettled(
      Array.from({ length: 130 }, () => throttledSignIn(`${randomUUID()}@example.com`, address, fail)),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
  })

  it('keeps what it holds against others, however many people a refused address goes on to try', async () => {
    const [email, guesser, flooder] = [`${randomUUID()}@example.com`, randomUUID(), randomUUID()]
    for (let i = 0; i < 10; i++) await throttledSignIn(email, guesser, fail)
    await Promise.allSettled(Array.from({ length: 50_200 }, (_, at) => throttledSignIn(`${at}@example.com`, flooder, fail)))
    await expect(throttledSignIn(email, guesser, succeed)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  })
})
