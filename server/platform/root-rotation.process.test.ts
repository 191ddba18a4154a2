import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import type { Made } from '../testing/under-secret.ts'
import { startWebProcess } from '../testing/web-process.ts'
import { childEnvironment, env } from './config.ts'

await testDatabase()
const OLD = 'the root secret that an installation began with'
const NEW = 'another root secret, which takes over from the first'
const program = join(import.meta.dirname, '../testing/under-secret.ts')

interface Roots {
  REELGATE_SECRET: string
  REELGATE_SECRET_PREVIOUS?: string
}
const BEFORE: Roots = { REELGATE_SECRET: OLD }
const PREPARED: Roots = { REELGATE_SECRET: OLD, REELGATE_SECRET_PREVIOUS: NEW }
const ROTATED: Roots = { REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: OLD }
const AFTER: Roots = { REELGATE_SECRET: NEW }

/** Returns the result of a process under these root secrets, and its log. */
async function under<Answer>(roots: Roots, what: string, given?: unknown): Promise<{ answer: Answer; logged: string }> {
  const { DATABASE_URL, DATA_DIR } = env()
  const settings = { DATABASE_URL, DATA_DIR, BASE_URL: 'http://localhost', LOG_LEVEL: 'info', ...roots }
  const args = [program, JSON.stringify(settings), what, JSON.stringify(given ?? {})]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: childEnvironment() })
  return { answer: JSON.parse(/^result (.*)$/m.exec(stdout)?.[1] ?? 'null'), logged: stdout }
}
const check = async (roots: Roots, made: Made) => (await under<Record<string, boolean>>(roots, 'check', made)).answer
const all = (value: boolean) => ({ session: value, device: value, token: value, media: value, totp: value, webhook: value })

describe('rotating the root secret', () => {
  it('keeps every user signed in and loses nothing, and afterwards the old secret is not needed', async () => {
    const { answer: made } = await under<Made>(BEFORE, 'make')
    const answers = await Promise.all([PREPARED, ROTATED, AFTER].map((roots) => check(roots, made)))
    expect(answers).toEqual([all(true), all(true), all(false)])

    // Output of the new secret is valid in processes that are not rotated yet.
    const { answer: fresh } = await under<Made>(ROTATED, 'make')
    expect(await Promise.all([PREPARED, AFTER].map((roots) => check(roots, fresh)))).toEqual([all(true), all(true)])

    // A player with an existing playback session continues and receives the video's key.
    const [before, rotated] = await Promise.all([BEFORE, ROTATED].map((roots) => startWebProcess({ settings: { ...roots } })))
    const exchanged = await fetch(`${before?.url}/v1/video/playback/manifest/${made.token}`)
    const master = new URL(/"(http[^"]+master\.m3u8)"/.exec(await exchanged.text())?.[1] ?? '')
    const read = async (address: URL) => {
      const answer = await fetch(`${rotated?.url}${address.pathname}${address.search}`)
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(answer.status, bytes.toString()).toBe(200)
      return bytes
    }
    const rendition = /^[^#].*$/m.exec((await read(master)).toString())?.[0] ?? ''
    expect((await read(new URL(rendition, master))).toString()).toContain('#EXT-X-KEY')
    expect((await read(new URL(made.keyUrl))).toString('hex')).toBe(made.contentKey)

    // A page load in between renews its cookies.
    const { answer: cookies } = await under<string[]>(ROTATED, 'visit', made)
    expect(cookies).toHaveLength(2)
    const [cookie = '', device = ''] = cookies
    expect((await under<string[]>(ROTATED, 'visit', { ...made, cookie, device })).answer).toEqual([])

    const { logged } = await under(ROTATED, 'reseal')
    expect(logged).toContain('REELGATE_SECRET_PREVIOUS')
    expect(logged).not.toContain(OLD)
    expect(await check(AFTER, { ...made, cookie, device })).toEqual({ ...all(true), token: false })
    // In reverse: the old secret alone opens nothing.
    expect(await check(BEFORE, { ...made, cookie, device })).toEqual({ ...all(false), token: true })
  }, 120_000)

  it('never reports a secret as removable while a missing one is needed', async () => {
    const { answer: made } = await under<Made>(BEFORE, 'make')
    const { logged } = await under({ REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: 'another root secret, set here by mistake' }, 'reseal')
    expect(logged).toMatch(/cannot be decrypted|could not be decrypted/)
    expect(logged).not.toMatch(/may be removed/)
    expect(await check(ROTATED, made)).toEqual(all(true))
  }, 120_000)
})
