import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { makeWorkFolder, sweepWorkFolders } from './work-folder.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-work-'))
provide({ BASE_URL: 'http://localhost', DATA_DIR: dataDir })
afterAll(() => rmSync(dataDir, { recursive: true }))

const age = (folder: string, hours: number) => utimesSync(folder, new Date(), new Date(Date.now() - hours * 3_600_000))

it('sweepWorkFolders removes folders of killed workers and keeps those that an attempt may still use', async () => {
  await sweepWorkFolders()
  const dead = await makeWorkFolder({ videoId: 'vid_dead', kind: 'video', position: 0, leaseId: 1n })
  writeFileSync(join(dead, '00000.ts'), 'half a segment')
  age(dead, 26)
  const busy = await makeWorkFolder({ videoId: 'vid_busy', kind: 'video', position: 3, leaseId: 2n })
  writeFileSync(join(busy, '00000.ts'), 'a segment')
  age(busy, 24)
  await sweepWorkFolders()
  expect(readdirSync(join(dataDir, 'work'))).toEqual(['vid_busy.video-3.2'])
  expect(existsSync(join(busy, '00000.ts'))).toBe(true)
})

it('makeWorkFolder returns an empty folder and removes those of earlier attempts at the same task', async () => {
  const before = await makeWorkFolder({ videoId: 'vid_again', kind: 'video', position: 1, leaseId: 3n })
  const other = await makeWorkFolder({ videoId: 'vid_again', kind: 'video', position: 10, leaseId: 4n })
  writeFileSync(join(before, 'old'), 'old')
  const now = await makeWorkFolder({ videoId: 'vid_again', kind: 'video', position: 1, leaseId: 5n })
  expect([existsSync(before), existsSync(other), readdirSync(now)]).toEqual([false, true, []])
})
