import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { newLease } from '../../../platform/leases.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { leaseNext } from '../tasks/queue.ts'
import { makeTemporaryFolder, makeWorkFolder, sweepWorkFolders } from './work-folder.ts'

const { dataDir } = await testDatabase()
const folders = () => readdirSync(join(dataDir, 'work')).sort()
const age = (folder: string, hours: number) => utimesSync(folder, new Date(), new Date(Date.now() - hours * 3_600_000))

it('sweepWorkFolders removes the folder of an attempt once its lease ended, and keeps it before, overdue or not', async () => {
  await sweepWorkFolders()
  await makeVideo(await makeAccount(), { status: 'PENDING', durationSec: 0, qualities: [] })
  const lease = await leaseNext(['plan'])
  if (!lease) throw new Error('nothing was due')
  const held = await makeWorkFolder(lease)
  writeFileSync(join(held, '00000.ts'), 'a segment')
  await makeWorkFolder({ ...lease, kind: 'video', leaseId: newLease() })
  const before = folders()
  await db().$executeRaw`UPDATE transcode_task SET leased_until = service_now() - interval '1 minute'`
  await sweepWorkFolders()
  expect(before).toHaveLength(2)
  expect(folders()).toEqual([`${lease.videoId}.plan-0.${lease.leaseId}`])
  expect(existsSync(join(held, '00000.ts'))).toBe(true)

  await db().$executeRaw`UPDATE transcode_task SET leased_until = NULL, done_at = service_now()`
  await sweepWorkFolders()
  expect(folders()).toEqual([])
})

it('sweepWorkFolders removes folders of other work when they are older than any work', async () => {
  const repair = await makeWorkFolder({ mediaId: 'vid_repair', kind: 'repair', position: 0, leaseId: newLease() })
  const [old, busy] = [await makeTemporaryFolder('download'), await makeTemporaryFolder('quality', 'vid_measured')]
  age(old, 26)
  age(busy, 24)
  await sweepWorkFolders()
  expect([repair, old, busy].map((folder) => existsSync(folder))).toEqual([true, false, true])
})

it('makeWorkFolder returns an empty folder and removes those of earlier attempts at the same task', async () => {
  const before = await makeWorkFolder({ mediaId: 'vid_again', kind: 'video', position: 1, leaseId: newLease() })
  const other = await makeWorkFolder({ mediaId: 'vid_again', kind: 'video', position: 10, leaseId: newLease() })
  writeFileSync(join(before, 'old'), 'old')
  const now = await makeWorkFolder({ mediaId: 'vid_again', kind: 'video', position: 1, leaseId: newLease() })
  expect([existsSync(before), existsSync(other), readdirSync(now)]).toEqual([false, true, []])
})
