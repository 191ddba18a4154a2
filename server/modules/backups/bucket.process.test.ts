import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBackupStore } from '../../platform/backup/backup-place.ts'
import { parseBackupUrl } from '../../platform/backup/backup-url.ts'
import { checkSecrets } from '../../platform/config/secret-fingerprints.ts'
import { db, query } from '../../platform/database/database.ts'
import { claimStorage } from '../../platform/storage/claim-storage.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { shortClip } from '../../testing/media/media-files.ts'
import { transcodedVideo } from '../../testing/media/transcoded.ts'
import { prove } from '../../testing/prove-backup.ts'
import { hasSwift, type Swift, startSwift } from '../../testing/services/swift.ts'
import { provide, renew } from '../../testing/settings.ts'
import { publicKeys } from '../audit/receipts/signing-keys.ts'
import { segmentPrefix } from '../videos/media-keys.ts'
import { runDueBackup } from './schedule.ts'

await testDatabase()
const { signal } = new AbortController()

const SEGMENTS = 'SELECT count(DISTINCT s->>0)::int AS count FROM segment_list, jsonb_array_elements(segments::jsonb) AS s'

/** Number of segments, of which a drill plays as many as it samples, here all. */
async function storedSegments(): Promise<number> {
  const [row] = await query<{ count: number }>('', SEGMENTS, [])
  return row?.count ?? 0
}

describe.skipIf(!hasSwift())('backups in a bucket, of media in a bucket', () => {
  let swift: Swift
  let videoId: string
  let place: ReturnType<typeof parseBackupUrl>
  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    const BACKUP_URL = await swift.makeBucket()
    place = parseBackupUrl(BACKUP_URL)
    provide({
      STORAGE_URL: await swift.makeBucket(),
      STORAGE_RESERVE_BYTES: '0',
      BACKUP_URL,
      BACKUP_AT: '00:00',
    })
    renew('storage')
    await checkSecrets({ adopt: true })
    await claimStorage()
    await query('', `UPDATE installation SET claimed_at = now() - interval '3 days'`, [])
    videoId = await transcodedVideo(await makeAccount(), await shortClip(), { targetQuality: '360p' })
  })
  afterAll(() => swift?.stop())

  it('contain every object, are proven, and are not once one is lost', async () => {
    await runDueBackup(signal)
    const [made] = await db().backup.findMany()
    const [drill] = await db().backupDrill.findMany()
    expect(made).toMatchObject({ failure: null, removedAt: null })
    expect(drill).toMatchObject({ backupId: made?.id, passed: true, faults: [], figures: { segments: await storedSegments(), videos: 1 } })
    const keys = createLocalJWKSet({ keys: (await publicKeys()).map((key) => ({ ...key })) })
    expect((await jwtVerify(drill?.jws ?? '', keys)).payload).toMatchObject({ kind: 'backup.drill', sub: made?.id, passed: true })
    const store = await openBackupStore(place)
    expect(await store.stat(`backups/${made?.id}/${drill?.id}.json`)).toBeDefined()
    const media: string[] = []
    for await (const key of storage().list(segmentPrefix(videoId))) media.push(key)
    const copies: string[] = []
    for await (const key of store.list(`media/${segmentPrefix(videoId)}`)) copies.push(key.slice('media/'.length))
    expect(copies.sort()).toEqual(media.sort())

    await store.delete(`media/${media[0]}`)
    const { faults } = await prove(place, made?.id ?? '', { segments: 1 })
    expect(faults).toContainEqual({ check: 'media', problem: `${media[0]} of ${videoId} is missing` })
  })
})
