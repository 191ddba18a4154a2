import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { childEnvironment, env } from '../config/config.ts'
import { db } from '../database/database.ts'
import { seal, unseal } from './seal.ts'

await testDatabase()

/** Returns whether a text contains any four consecutive bytes of a secret, in any printed form of bytes. */
function shows(text: string, secret: Uint8Array): boolean {
  const bytes = Buffer.from(secret)
  return Array.from({ length: bytes.length - 3 }, (_, at) => bytes.subarray(at, at + 4)).some((part) =>
    [part.toString('hex'), part.toString('latin1'), part.toString('base64').slice(0, 5), inspect(part).slice(8, 19), part.join(',')].some(
      (form) => text.includes(form),
    ),
  )
}

it('opens what it sealed, for its owner alone', () => {
  const secret = randomBytes(16)
  expect(unseal(seal(secret, 'vid_a'), 'vid_a').equals(secret)).toBe(true)
  expect(() => unseal(seal(secret, 'vid_a'), 'vid_b')).toThrow()
})

it('reveals nothing of a secret that it cannot open, whatever the damage', () => {
  const secret = randomBytes(16)
  const sealed = seal(secret, 'vid_a')
  const damaged = [
    ...Array.from(sealed, (byte, at) => Buffer.from(sealed.with(at, byte ^ 0x15))),
    ...Array.from(sealed, (_, length) => sealed.subarray(0, length)),
    // Never sealed: text, and each length that its first byte can declare.
    Buffer.from('a webhook secret or the like'),
    ...Array.from({ length: 256 }, (_, first) => Buffer.concat([Buffer.from([first]), Buffer.from('letters_only_'.repeat(30))])),
    ...Array.from({ length: 256 }, (_, first) => Buffer.concat([Buffer.from([first]), secret.subarray(1)])),
  ]
  for (const stored of damaged) {
    let thrown: unknown
    try {
      unseal(stored, 'vid_a')
    } catch (error) {
      thrown = error
    }
    expect(thrown, stored.toString('hex')).toBeInstanceOf(Error)
    const { message, stack = '' } = thrown as Error
    // The name of a master key is public: the reader of the message needs it.
    const said = `${message}${stack}${inspect(thrown, { depth: 9 })}`
      .replaceAll('root', '')
      .replace(/with the master key "[\w-]{1,32}"/g, '')
    expect(shows(said, secret), said).toBe(false)
    expect(shows(said, sealed.subarray(5)), said).toBe(false)
  }
})

it('keeps sealed values out of the log when the database refuses a row', async () => {
  const id = await makeVideo(await makeAccount())
  await db().$executeRaw`ALTER TABLE media ADD CONSTRAINT refused CHECK (content_key IS NULL)`
  const sealed = seal(randomBytes(16), id)
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET } = env()
  const code = `
    const { buildContainer } = await import(${module('../../services.ts')})
    buildContainer(JSON.parse(process.argv[1]))
    const { db, closeDb, query } = await import(${module('../database/database.ts')})
    const { log } = await import(${module('../observe/log.ts')})
    const sealed = Buffer.from(process.argv[2], 'hex')
    const id = process.argv[3]
    for (const attempt of [
      () => db().$executeRaw\`UPDATE media SET content_key = \${sealed} WHERE id = \${id}\`,
      () => db().media.update({ where: { id }, data: { contentKey: sealed } }),
      () => query('test', 'UPDATE media SET content_key = $1 WHERE id = $2', [sealed, id]),
    ]) await attempt().then(() => log().error('it was not refused'), (err) => log().error({ err }, 'refused'))
    await closeDb()`
  const settings = JSON.stringify({ DATABASE_URL, DATA_DIR, REELGATE_SECRET, LOG_LEVEL: 'error' })
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code, settings, sealed.toString('hex'), id], {
    encoding: 'utf8',
    env: childEnvironment(),
  })
  expect(stdout.match(/"msg":"refused"/g), stderr).toHaveLength(3)
  expect(shows(stdout + stderr, sealed.subarray(5)), stdout).toBe(false)
})
