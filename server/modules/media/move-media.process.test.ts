import { beforeAll, beforeEach, describe, vi } from 'vitest'
import { query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { removeVideos, testMediaMove } from '../../testing/media/media-move.ts'
import { rounds } from '../../testing/media/rounds.ts'
import { hasSwift, type Swift, startSwift } from '../../testing/services/swift.ts'

await testDatabase()

describe.skipIf(!hasSwift())('with an object store', () => {
  let swift: Swift
  let first: string
  let second: string
  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    first = await swift.makeBucket()
    second = await swift.makeBucket()
    return () => swift.stop()
  })
  beforeEach(async () => {
    await removeVideos()
    await query('no-move', 'DELETE FROM media_move', [])
  })

  testMediaMove('from a bucket to another', async () => ({ from: first, to: second }))
  // A move between disks is in move-media.db.test.ts.
  if (rounds(0, 1) === 0) return
  testMediaMove('from a bucket to a disk', async () => ({ from: second, to: '' }))
  testMediaMove('from a disk to a bucket', async () => ({ from: '', to: first }))
})
