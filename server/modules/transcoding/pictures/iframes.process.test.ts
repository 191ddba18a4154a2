import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Parser } from 'm3u8-parser'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { storeVideo } from '../../../testing/media/stored-video.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { recount } from '../../../testing/recount.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { mediaOrphans } from '../../media/media-orphans.ts'
import { scrubMedia } from '../../media/scrub.ts'
import { segmentKey, segmentPrefix } from '../../videos/media-keys.ts'
import { readPictures } from '../encode/mpeg-ts.ts'
import { decryptSegment, isWholeSegment } from '../encode/segment-store.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'
import { makeIframes } from './iframes.ts'

const { dataDir } = await testDatabase()
const never = new AbortController().signal
let ctx: AccountCtx
beforeAll(async () => {
  await startHttpServer()
  ctx = await makeAccount()
})

/** 9.3 s at 29.97 frames a second: key frames every 2 s, of which the last one lasts 1.3 s; a shifted grid. */
const clip = () => makeMediaFile('iframes.mp4', sampleClipArguments({ seconds: 9.3, width: 512, height: 288, rate: 30_000 / 1001 }))

async function transcoded(encrypted: boolean): Promise<string> {
  const id = await pendingVideo(ctx, await clip())
  await db().media.update({ where: { id }, data: { encrypted } })
  await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
  return id
}

/** Hashes and times of the key frames of a playlist, or of a file, as ffmpeg decodes them. */
async function keyFramesOf(input: string[]): Promise<string[]> {
  const frames: string[] = []
  const onLine = (line: string) => {
    if (!line.startsWith('#')) frames.push(line.split(',').at(-1)?.trim() ?? '')
  }
  const output = await ffmpeg(['-xerror', ...input, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framemd5', '-'], {
    onLine,
  })
  expect(output).toBe('')
  return frames
}

const parsed = (text: string) => {
  const parser = new Parser()
  parser.push(text)
  parser.end()
  return parser.manifest
}

describe.each([['encrypted', true] as const, ['unencrypted', false] as const])('a video that is %s', (_kind, encrypted) => {
  let id: string
  let url: string
  const read = async (name: string) => (await fetch(new URL(name, url))).text()
  beforeAll(async () => {
    id = await transcoded(encrypted)
    url = masterPlaylistUrl(id, 10).url
  })

  it('lists the key frames of its lowest rendition in the master playlist, after the variants', async () => {
    const master = await read('master.m3u8')
    const row = await db().iframeRendition.findFirstOrThrow({ where: { mediaId: id } })
    expect(master.trim().split('\n').at(-1)).toBe(
      `#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=${row.bandwidth},AVERAGE-BANDWIDTH=${row.averageBandwidth},RESOLUTION=426x240,CODECS="${row.codecs}",URI="iframes-240p.m3u8"`,
    )
    const { playlists, iFramePlaylists } = parsed(master)
    expect(playlists).toHaveLength(2)
    expect(iFramePlaylists).toMatchObject([{ attributes: { BANDWIDTH: row.bandwidth, RESOLUTION: { width: 426, height: 240 } } }])
    expect(row.bandwidth).toBeGreaterThanOrEqual(row.averageBandwidth)
  })

  it('has a segment for each key frame, which lasts until the next one or the end', async () => {
    const text = await read('iframes-240p.m3u8')
    const { iFramesOnly, endList, segments, targetDuration, version, playlistType } = parsed(text)
    expect({ iFramesOnly, endList, targetDuration, version, playlistType }).toEqual({
      iFramesOnly: true,
      endList: true,
      targetDuration: 3,
      version: 6,
      playlistType: 'VOD',
    })
    const rendition = parsed(await read('240p.m3u8')).segments
    const sum = (list: { duration: number }[]) => list.reduce((total, { duration }) => total + duration, 0)
    expect(sum(segments)).toBeCloseTo(sum(rendition), 4)
    const frame = 1001 / 30_000
    // The first frames at or after 0, 2, 4, 6 and 8 s.
    const starts = [0, 60, 120, 180, 240].map((number) => number * frame)
    const ends = [...starts.slice(1), sum(rendition)]
    expect(segments.map(({ duration }: { duration: number }) => duration)).toEqual(
      ends.map((end, at) => expect.closeTo(end - (starts[at] as number), 4)),
    )
  })

  it('plays as its own stream: ffmpeg decodes exactly the key frames of the rendition, without a warning', async () => {
    const frames = await keyFramesOf(['-i', new URL('iframes-240p.m3u8', url).href])
    expect(frames).toHaveLength(5)
    expect(frames).toEqual(await keyFramesOf(['-skip_frame', 'nokey', '-i', new URL('240p.m3u8', url).href]))
  })

  it('has segments of tables and one picture, encrypted as all others with their number in their list', async () => {
    const text = await read('iframes-240p.m3u8')
    const key = /METHOD=AES-128,URI="([^"]+)"\n/.exec(text)?.[1]
    expect(key !== undefined).toBe(encrypted)
    const contentKey = key && Buffer.from(await (await fetch(key)).arrayBuffer())
    for (const [sequence, { uri }] of parsed(text).segments.entries()) {
      const body = Buffer.from(await (await fetch(new URL(uri, url))).arrayBuffer())
      const plain = contentKey ? decryptSegment(body, contentKey, sequence) : body
      expect(isWholeSegment(plain)).toBe(true)
      const { pictures, tables } = readPictures(plain)
      expect(pictures).toMatchObject([{ isKey: true }])
      // A table with the counter of the one before would be its repetition.
      expect(tables.map((packet) => (packet[3] as number) & 0x0f)).toEqual([sequence, sequence])
      expect(plain).toHaveLength((tables.length + (pictures[0]?.packets.length ?? 0)) * 188)
    }
  })

  it('counts them as stored bytes, scrubs them, and finds none of them to be an orphan', async () => {
    const row = await db().iframeRendition.findFirstOrThrow({ where: { mediaId: id } })
    const names = (row.segments as [string, number][]).map(([name]) => segmentKey(id, name))
    const sizes = await Promise.all(names.map(async (key) => (await storage().stat(key))?.bytes ?? 0))
    expect(Number(row.bytes)).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0))
    const counted = await recount(ctx.accountId)
    expect(await storageOf(ctx.accountId)).toMatchObject({ renditionBytes: counted.renditionBytes })
    const path = join(dataDir, 'media', names[2] as string)
    const body = await readFile(path)
    await storage().put(names[2] as string, Buffer.from('other bytes'))
    const { faults } = await scrubMedia({ videoId: id, signal: never })
    await storage().put(names[2] as string, body)
    expect(faults).toEqual([{ mediaId: id, key: names[2], kind: 'changed' }])
    const stored: string[] = []
    for await (const key of storage().list(segmentPrefix(id))) stored.push(key)
    expect(stored).toEqual(expect.arrayContaining(names))
    const orphans: string[] = []
    await db().media.update({ where: { id }, data: { completedAt: new Date(0) } })
    await db().videoLog.deleteMany({ where: { videoId: id } })
    for await (const { key } of mediaOrphans({ graceMs: -60_000, signal: never })) orphans.push(key)
    expect(orphans.filter((key) => key.includes(id))).toEqual([])
  })
})

it('does not serve a playlist of key frames that a video does not have', async () => {
  const { id, master: url } = await storeVideo(ctx, { seconds: 2, rate: 10, iframes: true }, { renditions: 1 })
  expect(await (await fetch(url)).text()).toContain('URI="iframes-240p.m3u8"')
  await db().iframeRendition.deleteMany({ where: { mediaId: id } })
  await vi.waitFor(async () => expect(await (await fetch(url)).text()).not.toContain('I-FRAME'))
  for (const name of ['iframes-240p', 'iframes-360p', 'iframes-', 'iframes-0']) {
    expect((await fetch(new URL(`${name}.m3u8`, url))).status).toBe(404)
  }
})

it('refuses a segment without a picture', async () => {
  const videoId = 'vid_none'
  const name = '0'.repeat(32)
  await storage().put(segmentKey(videoId, name), Buffer.alloc(376, 0x47))
  const rendition = { quality: '240p', width: 426, height: 240, codecs: 'avc1.64001f', segments: [[name, 4]] as [string, number][] }
  await expect(makeIframes({ mediaId: videoId, contentKey: undefined, rendition, signal: never })).rejects.toThrow(
    'the segment has no picture',
  )
})
