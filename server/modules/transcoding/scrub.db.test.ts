import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { db } from '../../platform/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { storePicture } from '../videos/extras.ts'
import { pictureKey, segmentKey } from '../videos/media-keys.ts'
import { type Damage, scrubMedia } from './scrub.ts'

const { dataDir } = await testDatabase()
const signal = AbortSignal.timeout(60_000)
const rung = { quality: '240p', width: 426, height: 240, bandwidth: 1, averageBandwidth: 1, codecs: 'avc1', frameRate: 30, bytes: 3_000n }

async function videoWithMedia() {
  const id = await makeVideo(await makeAccount(), { posterCandidates: [], qualities: ['240p'] })
  const segments: [string, number][] = []
  for (let at = 0; at < 3; at++) {
    const body = randomBytes(1_000)
    const name = createHash('sha256').update(body).digest('hex').slice(0, 32)
    await storage().put(segmentKey(id, name), body)
    segments.push([name, 4])
  }
  await db().rendition.create({ data: { videoId: id, ...rung, segments } })
  const picture = await storePicture(id, randomBytes(500))
  await db().video.update({ where: { id }, data: { posterCandidates: [picture] } })
  return { id, segments: segments.map(([name]) => segmentKey(id, name)), picture: pictureKey(id, picture) }
}

it('finds one flipped byte and missing objects', async () => {
  const sound = await videoWithMedia()
  const broken = await videoWithMedia()
  expect(await scrubMedia({ signal }, () => {})).toEqual({ videos: 2, objects: 8, bytes: 7_000, damaged: [] })
  const [flipped = '', gone = ''] = broken.segments
  const content: Buffer[] = []
  for await (const part of storage().read(flipped)) content.push(Buffer.from(part))
  const body = Buffer.concat(content)
  body[500] = (body[500] as number) ^ 1
  await writeFile(join(dataDir, 'media', flipped), body)
  await storage().delete(gone)
  await storage().delete(broken.picture)
  const found: Damage[] = []
  const report = await scrubMedia({ signal }, (damage) => void found.push(damage))
  expect(report.damaged).toEqual(found)
  expect(found.sort((a, b) => a.key.localeCompare(b.key))).toEqual(
    [
      { videoId: broken.id, key: flipped, kind: 'changed' },
      { videoId: broken.id, key: gone, kind: 'missing' },
      { videoId: broken.id, key: broken.picture, kind: 'missing' },
    ].sort((a, b) => a.key.localeCompare(b.key)),
  )
  expect((await scrubMedia({ videoId: sound.id, signal }, () => {})).damaged).toEqual([])
})
