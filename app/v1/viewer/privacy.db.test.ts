import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { JOBS } from '../../../server/jobs.ts'
import { trafficCollector } from '../../../server/modules/analytics/requests/collector.ts'
import { copyErasures } from '../../../server/modules/backups/erasures.ts'
import { recordProgress } from '../../../server/modules/delivery/viewers/progress.ts'
import { viewerReference } from '../../../server/modules/identity/viewers/reference.ts'
import { env } from '../../../server/platform/config/config.ts'
import { services } from '../../../server/platform/container.ts'
import { db } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { dumpTables, formsOf, tablesWith } from '../../../server/testing/dump.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { logLines } from '../../../server/testing/logs.ts'
import { makeAccount, makeKey } from '../../../server/testing/make.ts'
import { makePlayable } from '../../../server/testing/media/playable.ts'

await testDatabase()
afterAll(stopQueue)
services().log.level = 'debug'
const base = await startHttpServer()
const log = logLines()
const PERSON = 'MARKED-PERSON-4711'
const LABEL = 'Marked Label <marked@example.org>'
const MARKS = [formsOf(PERSON), formsOf(LABEL)]
const SCOPES = ['video:read', 'viewer:read', 'viewer:write'] as const
let owner: AccountCtx
let videoId: string
/** Of a live and a test key: of calls with a test key, the request log keeps the bodies. */
let keys: [string, string]
beforeAll(async () => {
  owner = await makeAccount()
  videoId = (await makePlayable(owner)).id
  const made = (environment: 'LIVE' | 'TEST') => makeKey(owner, { environment, scopes: [...SCOPES] })
  keys = [(await made('LIVE')).value, (await made('TEST')).value]
  await startQueue(JOBS)
})

async function call(path: string, { method = 'GET', body, key = keys[0] } = {} as Record<string, string | undefined>) {
  const headers = { 'x-service-key': key as string, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${base}/v1${path}`, { method: method as string, headers, body: body ?? null })
  const text = await answer.text()
  return { status: answer.status, data: JSON.parse(text).data, text }
}

/** Returns which objects of the store contain a text. */
async function objectsWith(text: string): Promise<string[]> {
  const folder = join(env().DATA_DIR, 'media')
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  const found: string[] = []
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    const content = `${path} ${await readFile(path, 'latin1')}`
    if (formsOf(text).some((form) => content.includes(form))) found.push(path.slice(folder.length + 1))
  }
  return found
}
const logWith = (text: string) =>
  log.map((line) => JSON.stringify(line)).filter((line) => formsOf(text).some((form) => line.includes(form)))

it('neither the database, the log nor the store shows who watches, and an erasure leaves the reference in its record alone', async () => {
  const person = encodeURIComponent(PERSON)
  const token = JSON.stringify({ viewer: { id: PERSON, label: LABEL }, watermark: 'visible', maxSessions: 1, resume: true })
  const answers: string[] = []
  for (const key of keys) {
    const issued = await call(`/video/${videoId}/playback-token`, { method: 'POST', body: token, key })
    const refused = await call(`/video/${videoId}/playback-token`, { method: 'POST', body: token, key })
    const open = await call(`/video/playback/manifest/${issued.data.token}`)
    const { masterPlaylistUrl: url } = open.data
    const playlist = await fetch(`${base}${new URL(url).pathname}`)
    const { jti } = JSON.parse(Buffer.from(issued.data.token.split('.')[1], 'base64url').toString())
    await recordProgress(jti, 20, { spans: [[0, 1]], positionSec: 1 })
    answers.push(issued.text, url, await playlist.text())
    expect([issued.status, open.status, playlist.status]).toEqual([200, 200, 200])
    expect((await call(`/video/playback/manifest/${refused.data.token}`)).status).toBe(403)
    for (const path of [`/viewer/${person}`, `/viewer/${person}/video/${videoId}`, `/video/${videoId}/viewers`, '/viewer'])
      expect((await call(path, { key })).status).toBe(200)
    // What goes wrong names the person too.
    const both = `"id":"${PERSON}","label":"${LABEL}"`
    for (const body of [`{"viewer":{${both},"name":"}"}}`, `{"viewer":{${both},}`, `{"viewerId":"${PERSON}","label":"${LABEL}"}`])
      expect((await call(`/video/${videoId}/playback-token`, { method: 'POST', body, key })).status).toBe(400)
    for (const path of [`/viewers/${person}`, `/viewer/${person}/nothing`, `/viewer/${person}/`, `/viewer/${person}/videos`])
      expect((await call(path, { key })).status).toBe(404)
    for (const path of [`/viewer?id=${person}`, `/video/${videoId}/viewers?viewerId=${person}`])
      expect((await call(path, { key })).status).toBe(400)
    expect((await call(`/viewer/${person}/end`, { method: 'POST', key })).status).toBe(200)
  }
  expect(answers.filter((text) => MARKS.some((mark) => mark.some((form) => text.includes(form))))).toEqual([])

  await trafficCollector().flush()
  expect(await db().loggedRequest.count({ where: { accountId: owner.accountId } })).toBeGreaterThan(20)
  const reference = await viewerReference(owner.accountId, PERSON)
  const before = await dumpTables()
  for (const mark of [PERSON, LABEL])
    expect([mark, tablesWith(before, mark), logWith(mark), await objectsWith(mark)]).toEqual([mark, [], [], []])
  expect(tablesWith(before, reference)).toEqual(['audit_entry', 'request_log', 'viewer', 'viewer_progress', 'viewer_session'])
  expect(log.length).toBeGreaterThan(20)

  const erased = await call(`/viewer/${person}`, { method: 'DELETE' })
  expect([erased.status, erased.data.receipt.sub]).toEqual([200, reference])
  await copyErasures(new AbortController().signal)
  expect(await objectsWith(reference)).toEqual([`erasures/${erased.data.receipt.jti}.json`])
  const after = await dumpTables()
  expect(tablesWith(after, reference)).toEqual(['audit_entry', 'deletion'])
  for (const mark of [PERSON, LABEL])
    expect([mark, tablesWith(after, mark), logWith(mark), await objectsWith(mark)]).toEqual([mark, [], [], []])
  expect(logWith(reference)).toEqual([])
})
