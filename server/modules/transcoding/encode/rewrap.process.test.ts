import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { childEnvironment, env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { newContentKey, sealContentKey } from './content-key.ts'

await testDatabase()
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

/** Runs `code` in a separate process with these master keys and `key` in scope, and returns the argument of its `report` call. */
function under<Answer>(masterKeys: string, code: string): Answer {
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET } = env()
  const settings = { DATABASE_URL, DATA_DIR, REELGATE_SECRET, MASTER_KEYS: masterKeys, LOG_LEVEL: 'error' }
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const whole = `
    const { buildContainer } = await import(${module('../../../services.ts')})
    buildContainer(JSON.parse(process.argv[1]))
    const { db, closeDb } = await import(${module('../../../platform/database/database.ts')})
    const { openContentKey } = await import(${module('content-key.ts')})
    const { rewrapContentKeys } = await import(${module('content-key.ts')})
    const { contentKey } = await import(${module('../../delivery/segments/content-key.ts')})
    const report = (answer) => process.stdout.write('\\nresult ' + JSON.stringify(answer) + '\\n')
    ${code}
    await closeDb()`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', whole, JSON.stringify(settings)], {
    encoding: 'utf8',
    env: childEnvironment(),
  })
  if (child.status !== 0) throw new Error(child.stderr)
  // The output also contains log lines.
  const result = /^result (.*)$/m.exec(child.stdout)?.[1]
  if (result === undefined) throw new Error(`There is no result: ${child.stdout}${child.stderr}`)
  return JSON.parse(result) as Answer
}
const first = `a:${'first secret '.repeat(4)}`
const second = `b:${'second secret '.repeat(4)}`
const rewrap = 'report(await rewrapContentKeys(new AbortController().signal))'
const readAll = `
  const rows = await db().media.findMany({ where: { contentKey: { not: null } }, orderBy: { id: 'asc' } })
  report(rows.map(({ id, contentKey }) => { try { return openContentKey(contentKey, id).toString('hex') } catch { return 'unreadable' } }))`

it('rewrapContentKeys seals every key under the first master key, after which the others are not needed', async () => {
  const keys = new Map<string, string>()
  for (let made = 0; made < 450; made++) {
    const id = await makeVideo(ctx)
    const key = newContentKey()
    keys.set(id, key.toString('hex'))
    await db().media.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
  }
  await makeVideo(ctx, { encrypted: false })
  const expected = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
  // From the master key derived from the root secret to a configured one.
  expect(under(first, rewrap)).toEqual({ sealed: 450, unreadable: 0 })
  expect(under(first, rewrap)).toEqual({ sealed: 0, unreadable: 0 })
  expect(under(first, readAll)).toEqual(expected)
  // Both: the new one seals, the old one opens.
  expect(under(`${second},${first}`, readAll)).toEqual(expected)
  expect(under(`${second},${first}`, rewrap)).toEqual({ sealed: 450, unreadable: 0 })
  expect(under(second, readAll)).toEqual(expected)
  // The old one alone opens no key any more; the job reports it and changes nothing.
  expect(new Set(under<string[]>(first, readAll))).toEqual(new Set(['unreadable']))
  expect(under(first, rewrap)).toEqual({ sealed: 0, unreadable: 450 })
  expect(under(second, readAll)).toEqual(expected)
})

it('rewrapContentKeys leaves keys sealed under an unknown master key unreadable', async () => {
  expect(() => under('a:short', rewrap)).toThrow(/MASTER_KEYS/)
})
