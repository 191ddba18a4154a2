import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, transaction } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../../testing/make.ts'
import { startWorkerProcess, type WorkerProcess } from '../../../testing/services/worker-process.ts'
import { recordProgress } from './progress.ts'

await testDatabase()
let owner: AccountCtx
let videoId: string
let key: string
let other: WorkerProcess
beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
  key = (await makeKey(owner, { scopes: ['viewer:write'] })).value
  other = await startWorkerProcess('web')
})

async function call(path: string, method: string, at: string) {
  const answer = await fetch(`${at}/v1${path}`, { method, headers: { 'x-service-key': key } })
  return { status: answer.status, data: (await answer.json()).data }
}

describe('a process that is killed', () => {
  async function personWithRows(name: string) {
    const viewerId = await makeViewer(owner, name)
    for (const tokenId of [`tok_${name}_1`, `tok_${name}_2`]) {
      await db().viewerSession.create({
        data: { tokenId, accountId: owner.accountId, viewerId, videoId, expiresAt: new Date('2100-01-01') },
      })
      await recordProgress(tokenId, 20, { spans: [[0, 1]], positionSec: 1 })
    }
    return viewerId
  }
  const state = async (viewerId: string, name: string) => ({
    viewers: await db().viewer.count({ where: { id: viewerId } }),
    open: await db().viewerSession.count({ where: { viewerId, seenAt: { not: null } } }),
    progress: await db().viewerProgress.count({ where: { viewerId } }),
    ends: await db().playbackEnd.count({ where: { subject: { startsWith: `token:tok_${name}_` } } }),
    audit: await db().auditEntry.count({ where: { subject: viewerId } }),
    erasures: await db().deletion.count({ where: { subject: viewerId } }),
  })
  const WHOLE = { viewers: 1, open: 2, progress: 1, ends: 0, audit: 0, erasures: 0 }
  const ENDED = { viewers: 1, open: 0, progress: 1, ends: 2, audit: 1, erasures: 0 }
  const ERASED = { viewers: 0, open: 0, progress: 0, ends: 2, audit: 1, erasures: 1 }

  /** Sends a request to a process of its own, and kills it while its transaction waits for a lock that `lock` takes. */
  async function killedAt(lock: string, method: string, path: string): Promise<void> {
    const process = await startWorkerProcess('web')
    await transaction(async (connection) => {
      await connection.query(lock)
      const lost = call(path, method, process.url).catch(() => undefined)
      await waitForLocks(1)
      await process.kill()
      await lost
    })
  }

  it.each([
    ['erases', 'DELETE', '', ERASED],
    ['ends', 'POST', '/end', ENDED],
  ] as const)(
    'before it has committed that it %s a viewer has changed nothing, and another one does it whole',
    async (name, method, path, done) => {
      const viewerId = await personWithRows(name)
      await killedAt('SELECT FROM installation FOR UPDATE', method, `/viewer/${name}${path}`)
      await expect.poll(() => state(viewerId, name)).toEqual(WHOLE)
      expect((await call(`/viewer/${name}${path}`, method, other.url)).status).toBe(200)
      expect(await state(viewerId, name)).toEqual(done)
    },
  )

  it('while it commits an erasure has erased everything, and a repeated request gets the receipt', async () => {
    const viewerId = await personWithRows('commits')
    // The audit log is chained as a transaction commits.
    await killedAt('SELECT FROM audit_chain FOR UPDATE', 'DELETE', '/viewer/commits')
    await expect.poll(() => state(viewerId, 'commits')).toEqual(ERASED)
    const repeated = await call('/viewer/commits', 'DELETE', other.url)
    expect([repeated.status, repeated.data.receipt.sub]).toEqual([200, viewerId])
    expect(await state(viewerId, 'commits')).toEqual(ERASED)
  })
})
