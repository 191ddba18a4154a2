import { Upload } from '@tus/server'
import { expect, it } from 'vitest'
import { newId } from '../../../platform/secrets/crypto.ts'
import { testDatabase } from '../../../testing/database.ts'
import { uploadPlace } from './place.ts'

await testDatabase()

it('reads a whole ticket at any moment while another request writes it', async () => {
  const place = uploadPlace()
  const fields = {
    title: 'T'.repeat(200),
    targetQuality: '720p',
    encrypted: 'true',
    filename: 'a.mp4',
    accountId: 'acc_1',
    videoId: 'vid_1',
  }
  const id = newId('upl')
  const upload = new Upload({ id, offset: 0, metadata: fields })
  const seen: unknown[] = []
  const [writer, ...readers] = [
    async () => {
      for (let times = 0; times < 80; times++) await place.datastore.declareUploadLength(id, 100)
    },
    ...Array.from({ length: 3 }, () => async () => {
      for (let times = 0; times < 200; times++) seen.push((await place.ticket(id))?.videoId)
    }),
  ]
  await place.openEmpty(upload)
  await Promise.all([writer?.(), ...readers.map((read) => read())])
  expect(new Set(seen)).toEqual(new Set(['vid_1']))
})
