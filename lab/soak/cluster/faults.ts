import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { revokeKey } from '../../../server/modules/access/keys/end-key.ts'
import { db } from '../../../server/platform/database/database.ts'
import { makeKey } from '../../../server/testing/make.ts'
import { type Cluster, NOTICED_MS } from './cluster.ts'
import type { Fault } from './fault.ts'
import type { Member } from './members.ts'

/** Milliseconds that lost parts stay away. */
const AWAY_MS = 20_000
/** Milliseconds within which requests must succeed again after the database accepts changes: 5 s, and until HAProxy has noticed. */
const DATABASE_GRACE_MS = 5_000 + NOTICED_MS
const HOUR_MS = 3_600_000

export const rollAll: Fault = {
  name: 'every process is replaced, one after another',
  async run({ webs, workers }) {
    for (const member of [...webs, ...workers]) await replace(member)
  },
}

/** Stops a process and starts it again with further settings; resolves when HAProxy chooses it again. */
async function replace(member: Member, settings: Record<string, string> = {}): Promise<void> {
  await member.stop()
  await member.start(settings)
  if (member.role === 'web') await wait(NOTICED_MS)
}

export const killWeb = (at: 0 | 1): Fault => ({
  name: `kill -9 of web process ${at + 1}`,
  mayFail: { kinds: 'all', graceMs: NOTICED_MS },
  losesCounters: true,
  run: ({ webs }) => webs[at].kill(),
  heal: ({ webs }) => webs[at].start(),
})

export const killWorker = (at: 0 | 1): Fault => ({
  name: `kill -9 of worker ${at + 1} while it may transcode`,
  async run({ workers }) {
    await vi.waitFor(async () => expect(await db().video.count({ where: { status: 'PROCESSING' } })).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 20,
    })
    await workers[at].kill()
  },
  heal: ({ workers }) => workers[at].start(),
})

export const restartDatabase: Fault = {
  name: 'the primary database restarts',
  mayFail: { kinds: 'all', graceMs: DATABASE_GRACE_MS },
  run: async ({ parts }) => parts.postgres?.restart(),
}

export const promoteStandby: Fault = {
  name: 'the primary database is lost, the standby promoted',
  mayFail: { kinds: 'all', graceMs: DATABASE_GRACE_MS },
  async run({ parts }) {
    await parts.postgres?.stopPrimary()
    await parts.postgres?.promote()
    parts.movePooler?.()
  },
  heal: async ({ parts }) => parts.postgres?.addStandby(),
}

export const fillDisk: Fault = {
  name: 'the work disk of worker 1 is full for 20 s',
  async run({ smallDisk }) {
    const file = join(smallDisk as string, 'filler')
    try {
      for (;;) writeFileSync(file, Buffer.alloc(1024 ** 2), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
    await wait(AWAY_MS)
    rmSync(file)
  },
}

export const cutStore: Fault = {
  name: 'the object store hangs for 20 s, then refuses connections for 20 s',
  mayFail: { kinds: ['segment', 'upload'], graceMs: 10_000 },
  async run({ parts }) {
    parts.swift?.suspend()
    await wait(AWAY_MS)
    parts.swift?.resume()
    await parts.swift?.close()
    await wait(AWAY_MS)
    await parts.swift?.reopen()
  },
}

export const skewClocks: Fault = {
  name: 'web process 2 is an hour ahead, worker 2 an hour behind',
  async run({ webs, workers }) {
    await replace(webs[1], skewedBy(HOUR_MS))
    await replace(workers[1], skewedBy(-HOUR_MS))
    await wait(AWAY_MS)
  },
  async heal({ webs, workers }) {
    await replace(webs[1])
    await replace(workers[1])
  },
}

const skewedBy = (ms: number) => ({
  NODE_OPTIONS: `--import=${new URL(`../../../server/testing/services/skewed-clock.ts?ms=${ms}`, import.meta.url).href}`,
})

/** Milliseconds within which each process must refuse a key that is revoked while no notice arrives. */
const REVOKED_MS = 5_000

export const loseNotices = (ctx: AccountCtx): Fault => ({
  name: 'change notices are lost; a key is revoked meanwhile',
  async run({ webs, parts }) {
    const { id, value } = await makeKey(ctx)
    const statuses = () =>
      Promise.all(webs.map(async ({ url }) => (await fetch(`${url}/v1/video?limit=1`, { headers: { 'x-service-key': value } })).status))
    // The second time the key is in both caches.
    for (const _ of ['read', 'cached']) expect(await statuses()).toEqual([200, 200])
    for (const proxy of parts.listenerProxies ?? []) proxy.silence()
    await revokeKey(ctx, { keyId: id })
    const until = performance.now() + REVOKED_MS
    await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), { timeout: REVOKED_MS, interval: 100 })
    await wait(until - performance.now())
  },
  heal: async ({ parts }: Cluster) => {
    for (const proxy of parts.listenerProxies ?? []) proxy.heal()
  },
})

/** Returns every fault that the parts of this machine permit, and the names of those that need an absent part. */
export function allFaults({ parts, smallDisk }: Cluster, ctx: AccountCtx): Fault[] {
  return [
    rollAll,
    killWeb(0),
    killWeb(1),
    killWorker(0),
    killWorker(1),
    ...(parts.postgres ? [restartDatabase, promoteStandby] : []),
    ...(smallDisk ? [fillDisk] : []),
    ...(parts.swift ? [cutStore] : []),
    skewClocks,
    ...(parts.listenerProxies ? [loseNotices(ctx)] : []),
  ]
}
