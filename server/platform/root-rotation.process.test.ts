import { describe, expect, it } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { startWebProcess } from '../testing/services/web-process.ts'
import { type Made, underSecret } from '../testing/under-secret.ts'
import { env } from './config/config.ts'
import { db } from './database/database.ts'

await testDatabase()
const OLD = 'the root secret that an installation began with'
const NEW = 'another root secret, which takes over from the first'

interface Roots {
  REELGATE_SECRET: string
  REELGATE_SECRET_PREVIOUS?: string
}
const BEFORE: Roots = { REELGATE_SECRET: OLD }
const PREPARED: Roots = { REELGATE_SECRET: OLD, REELGATE_SECRET_PREVIOUS: NEW }
const ROTATED: Roots = { REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: OLD }
const AFTER: Roots = { REELGATE_SECRET: NEW }

const settingsOf = (roots: Roots) => {
  const { DATABASE_URL, DATA_DIR } = env()
  return { DATABASE_URL, DATA_DIR, BASE_URL: 'http://localhost', LOG_LEVEL: 'info', ...roots }
}
const make = async (roots: Roots) => (await underSecret(settingsOf(roots), 'make')).answer
const visit = async (roots: Roots, made: Made) => (await underSecret(settingsOf(roots), 'visit', made)).answer
const reseal = async (roots: Roots) => (await underSecret(settingsOf(roots), 'reseal')).logged
const check = async (roots: Roots, made: Made) => (await underSecret(settingsOf(roots), 'check', made)).answer
async function checkAll(processes: Roots[], made: Made) {
  const answers: Record<string, boolean>[] = []
  for (const roots of processes) answers.push(await check(roots, made))
  return answers
}
const all = (value: boolean) => ({ session: value, device: value, token: value, media: value, totp: value, webhook: value, viewer: value })

describe('rotating the root secret', () => {
  it('keeps every user signed in and loses nothing, and afterwards the old secret is not needed', async () => {
    const made = await make(BEFORE)
    expect(await checkAll([PREPARED, ROTATED, AFTER], made)).toEqual([all(true), all(true), all(false)])

    // Output of the new secret is valid in processes that are not rotated yet.
    const fresh = await make(ROTATED)
    // The key of viewers was made under the old one, and is sealed again below.
    expect(await checkAll([PREPARED, AFTER], fresh)).toEqual([all(true), { ...all(true), viewer: false }])

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
    expect((await read(new URL(made.keyUrl))).toString('hex')).toBe(made.streamKey)

    // A page load in between renews its cookies.
    const cookies = await visit(ROTATED, made)
    expect(cookies).toHaveLength(2)
    const [cookie = '', device = ''] = cookies
    expect(await visit(ROTATED, { ...made, cookie, device })).toEqual([])

    const logged = await reseal(ROTATED)
    expect(logged).toContain('REELGATE_SECRET_PREVIOUS')
    expect(logged).not.toContain(OLD)
    expect(await check(AFTER, { ...made, cookie, device })).toEqual({ ...all(true), token: false })
    // In reverse: the old secret alone opens nothing.
    expect(await check(BEFORE, { ...made, cookie, device })).toEqual({ ...all(false), token: true })
  })

  it('never reports a secret as removable while a missing one is needed', async () => {
    // The one that the first test made is sealed under the new secret.
    await db().installation.updateMany({ data: { viewerKey: null } })
    const made = await make(BEFORE)
    const logged = await reseal({ REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: 'another root secret, set here by mistake' })
    expect(logged).toMatch(/cannot be decrypted|could not be decrypted/)
    expect(logged).not.toMatch(/may be removed/)
    expect(await check(ROTATED, made)).toEqual(all(true))
  })
})
