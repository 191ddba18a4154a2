import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount } from '../../../testing/make.ts'
import { type CaptionAt, makeCaptioned } from '../../../testing/media/captioned-picture.ts'
import { encodeFile, joinSegments } from '../../../testing/media/encoded-file.ts'
import { isShort } from '../../../testing/media/rounds.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { newContentKey, sealContentKey } from '../encode/content-key.ts'
import { planOf } from '../plan/plan-video.ts'
import { encodeVideoChunk } from '../tasks/run-chunk.ts'
import { storePlan } from '../tasks/task-writes.ts'

await testDatabase()
const never = new AbortController().signal
const RATE = '30000/1001'
const CAPTIONS: CaptionAt[] = [
  { frame: 20, text: 'THE HARBOUR AT DAWN' },
  { frame: 100, text: 'A SHIP' },
  { frame: 170, text: 'WAVES' },
]
const TEXTS = CAPTIONS.map(({ text }) => text)
/** Of two renditions unless smaller. */
const picture = (size = '512x288') => ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${RATE}:duration=7`]

let ctx: AccountCtx
let scratch: string
beforeAll(async () => {
  await startHttpServer()
  ctx = await makeAccount()
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-captions-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** Returns the captions that ffmpeg's decoder of CEA-608 finds in the picture of a file. */
async function textsOf(file: string): Promise<string[]> {
  const lines: string[] = []
  const args = ['-f', 'lavfi', '-i', `movie=${file}[out+subcc]`, '-map', '0:s', '-f', 'srt', '-']
  await ffmpeg(args, { onLine: (line) => lines.push(line) })
  return lines.filter((line) => line.startsWith('<font')).map((line) => line.replace(/<[^>]*>|\{[^}]*\}/g, ''))
}

async function encodedTexts(source: string): Promise<string[][]> {
  const { renditions } = await encodeFile(source, { targetQuality: '360p', scratch })
  const texts: string[][] = []
  for (const { segments } of renditions) texts.push(await textsOf(await joinSegments(segments)))
  return texts
}

it.skipIf(isShort)('captions in the picture of a source are in every rendition', async () => {
  const path = join(scratch, 'captioned.mp4')
  await makeCaptioned(path, { source: picture(), rate: RATE, captions: CAPTIONS })
  expect(await textsOf(path)).toEqual(TEXTS)
  expect(await encodedTexts(path)).toEqual([TEXTS, TEXTS])
})

it('captions of interlaced video are there once, although each field becomes a picture', async () => {
  const interlaced = join(scratch, 'interlaced.mp4')
  await makeCaptioned(interlaced, { source: [...picture(), '-flags', '+ilme+ildct', '-top', '1'], rate: RATE, captions: CAPTIONS })
  expect(await textsOf(interlaced)).toEqual(TEXTS)
  expect(await encodedTexts(interlaced)).toEqual([TEXTS, TEXTS])
})

describe.skipIf(isShort)('a video with captions on two channels', () => {
  const DECLARED = [
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="Closed captions",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1"',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="Closed captions 2",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC3"',
    expect.stringMatching(/^#EXT-X-STREAM-INF:.*,CLOSED-CAPTIONS="cc"$/),
  ]
  const declared = async (videoId: string) => {
    const master = await (await fetch(masterPlaylistUrl(videoId, 7).url)).text()
    return master.split('\n').filter((line) => line.includes('CLOSED-CAPTIONS'))
  }
  let two: string
  beforeAll(async () => {
    two = join(scratch, 'two.mp4')
    await makeCaptioned(two, {
      source: picture('256x144'),
      rate: RATE,
      captions: [...CAPTIONS, { frame: 30, text: 'O PORTO', channel: 'CC3' }],
    })
  })

  it('names them in its master playlist while it is encoded, as far as it is stored', async () => {
    const videoId = await pendingVideo(ctx, two, { targetQuality: '240p' })
    const planning = await leaseOf({ accountId: ctx.accountId, videoId })
    const chunk = planning && (await storePlan(planning, await planOf(two, '240p', never), sealContentKey(newContentKey(), videoId)))?.next
    if (!chunk) throw new Error('there is no chunk')
    const onLost = () => expect.unreachable('the lease was lost')
    const attempt = { work: await mkdtemp(join(scratch, 'chunk-')), written: new Set<string>(), isLast: false, signal: never, onLost }
    await encodeVideoChunk(chunk, attempt)
    expect((await db().video.findUniqueOrThrow({ where: { id: videoId } })).status).toBe('PROCESSING')
    expect(await declared(videoId)).toEqual(DECLARED)
  })

  it('names them in its master playlist when it is stored', async () => {
    const videoId = await pendingVideo(ctx, two, { targetQuality: '240p' })
    await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
    expect(await db().media.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({
      status: 'COMPLETED',
      closedCaptions: ['CC1', 'CC3'],
    })
    expect(await declared(videoId)).toEqual(DECLARED)
  })
})

it.skipIf(isShort)('padding and codes that erase are no captions', async () => {
  const padded = join(scratch, 'padded.mp4')
  await makeCaptioned(padded, { source: picture('256x144'), rate: RATE, captions: [] })
  const videoId = await pendingVideo(ctx, padded, { targetQuality: '240p' })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  expect((await db().media.findUniqueOrThrow({ where: { id: videoId } })).closedCaptions).toEqual([])
  expect(await (await fetch(masterPlaylistUrl(videoId, 7).url)).text()).toMatch(/CLOSED-CAPTIONS=NONE\n/)
})
