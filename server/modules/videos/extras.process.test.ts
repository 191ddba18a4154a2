import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { ffmpeg, ffprobe } from '../../platform/ffmpeg/ffmpeg.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount } from '../../testing/make.ts'
import { shortClip } from '../../testing/media/media-files.ts'
import { transcodedVideo } from '../../testing/media/transcoded.ts'
import { getForDashboard } from '../dashboard/get-video.ts'
import { masterPlaylistUrl } from '../delivery/sessions/media-permit.ts'
import { removeMedia } from '../media/remove-media.ts'
import { putCaptions, removeCaptions } from './captions/captions.ts'
import { extraPrefix, picturePrefix } from './media-keys.ts'
import { choosePoster, uploadPoster } from './poster.ts'
import { removeVideo } from './remove.ts'
import { putCaptionsInput } from './schema.ts'
import { videoLog } from './video-log.ts'

const { dataDir } = await testDatabase()
let owner: AccountCtx
let viewer: AccountCtx
let videoId: string
let plainId: string

const transcoded = async (fields: { encrypted?: boolean } = {}) =>
  transcodedVideo(owner, await shortClip(), { targetQuality: '360p', ...fields })

beforeAll(async () => {
  await startHttpServer()
  owner = await makeAccount()
  viewer = { ...owner, actor: { ...owner.actor, role: 'VIEWER' } as AccountCtx['actor'] }
  videoId = await transcoded()
  plainId = await transcoded({ encrypted: false })
})

const siblingUrl = (id: string, file: string) => masterPlaylistUrl(id, 9).url.replace('master.m3u8', file)
const open = (file: string, id = videoId, headers: Record<string, string> = {}) => fetch(siblingUrl(id, file), { headers })
const text = async (file: string, id = videoId) => (await open(file, id)).text()
async function stored(prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const key of storage().list(prefix)) keys.push(key)
  return keys
}
/** Width and height of a JPEG, by an independent decoder. */
async function sizeOf(image: Buffer): Promise<string> {
  const path = join(dataDir, `seen-${image.length}.ts`)
  const input = join(dataDir, `seen-${image.length}.jpg`)
  await writeFile(input, image)
  await ffmpeg(['-i', input, '-c:v', 'mpeg2video', '-r', '25', '-f', 'mpegts', path])
  const { streams } = (await ffprobe(path)).found as { streams: { width: number; height: number }[] }
  return `${streams[0]?.width}x${streams[0]?.height}`
}
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())
const captions = putCaptionsInput.omit({ expected: true })
const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHello\n'

describe('a poster', () => {
  it('exists once the video is transcoded, and can be chosen from candidates', async () => {
    const { posters, posterUrl } = await getForDashboard(owner, { videoId })
    expect(posters.length).toBeGreaterThanOrEqual(3)
    expect(posters.filter((one) => one.chosen)).toHaveLength(1)
    const response = await open('poster.jpg')
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'image/jpeg',
      'no-cache',
    ])
    const shown = await bytes(response)
    expect(await sizeOf(shown)).toBe('640x360')
    expect((await bytes(await fetch(posterUrl ?? ''))).equals(shown)).toBe(true)

    const other = posters.find((one) => !one.chosen)
    await choosePoster(owner, { videoId, name: other?.name ?? '' })
    const chosen = await bytes(await fetch(other?.url ?? ''))
    expect(chosen.equals(shown)).toBe(false)
    await vi.waitFor(async () => expect((await bytes(await open('poster.jpg'))).equals(chosen)).toBe(true))
    const etag = (await open('poster.jpg')).headers.get('etag') ?? ''
    expect((await open('poster.jpg', videoId, { 'If-None-Match': etag })).status).toBe(304)
  })

  it('can be an uploaded picture, which is re-encoded and replaces the previous one', async () => {
    const given = join(dataDir, 'given.png')
    await ffmpeg(['-f', 'lavfi', '-i', 'testsrc2=size=4000x1000:rate=1:duration=1', '-frames:v', '1', given])
    const { name } = await uploadPoster(owner, { videoId, image: await readFile(given) })
    await vi.waitFor(async () => expect((await open('poster.jpg')).headers.get('etag')).toBe(`"${name}"`))
    expect(await sizeOf(await bytes(await open('poster.jpg')))).toBe('1920x480')
    await ffmpeg(['-f', 'lavfi', '-i', 'color=red:size=90x160:rate=1:duration=1', '-frames:v', '1', given])
    const second = await uploadPoster(owner, { videoId, image: await readFile(given) })
    expect(await stored(extraPrefix(videoId))).toEqual([`${extraPrefix(videoId)}${second.name}`])
    const { posters } = await getForDashboard(owner, { videoId })
    expect(posters.at(-1)).toMatchObject({ name: second.name, uploaded: true, chosen: true })
  })

  it.each([
    ['text', Buffer.from('this is no picture at all, is it?')],
    ['a JPEG in name alone', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(500, 7)])],
    ['a drawing that could hold scripts', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n')],
  ])('cannot be %s', async (_name, image) => {
    await expect(uploadPoster(owner, { videoId, image })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it("is chosen by members who may change videos, and from this video's pictures alone", async () => {
    const { posters } = await getForDashboard(owner, { videoId })
    await expect(choosePoster(viewer, { videoId, name: posters[0]?.name ?? '' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(choosePoster(owner, { videoId, name: '0'.repeat(32) })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(choosePoster(await makeAccount(), { videoId, name: posters[0]?.name ?? '' })).rejects.toMatchObject({
      code: 'VIDEO_NOT_FOUND',
    })
    expect((await open(`poster-${'0'.repeat(32)}.jpg`)).status).toBe(404)
  })
})

it('seek previews cover the video, each a part of a stored sheet', async () => {
  const cues = (await text('storyboard.vtt'))
    .split('\n\n')
    .slice(1)
    .map((cue) => cue.trim())
  expect(cues).toHaveLength(5)
  expect(cues[0]).toMatch(/^00:00:00\.000 --> 00:00:02\.000\nstoryboard-[0-9a-f]{32}\.jpg#xywh=0,0,160,90$/)
  expect(cues[4]).toMatch(/^00:00:08\.000 --> 00:00:10\.000\n.*#xywh=640,0,160,90$/)
  const sheet = await open(/storyboard-\w+\.jpg/.exec(cues[0] ?? '')?.[0] ?? '')
  expect([sheet.status, sheet.headers.get('cache-control')]).toEqual([200, 'private, max-age=86400, immutable'])
  expect(await sizeOf(await bytes(sheet))).toBe('800x90')
})

describe('a file stored by a change that was rolled back', () => {
  const text = `WEBVTT\n\n00:01.000 --> 00:02.000\nLost\n`

  it('is removed at once, and one left by a killed process with the next change', async () => {
    // The caption file as another page displayed it: a conflict, after the file was stored.
    await putCaptions(owner, captions.parse({ videoId, language: 'de', text }))
    const kept = await stored(extraPrefix(videoId))
    const stale = { ...captions.parse({ videoId, language: 'de', text: text.replace('Lost', 'Other') }), expected: null }
    await expect(putCaptions(owner, stale)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await stored(extraPrefix(videoId))).toEqual(kept)
    await storage().put(`${extraPrefix(videoId)}${'0'.repeat(32)}`, Buffer.from('left over'))
    await removeCaptions(owner, { videoId, language: 'de' })
    // As a version.
    expect(await stored(extraPrefix(videoId))).toEqual(kept)
  })

  it('of captions that were removed or replaced is returned whole, to put them back', async () => {
    await putCaptions(owner, captions.parse({ videoId, language: 'de', label: 'Für alle', text }))
    const added = await stored(extraPrefix(videoId))
    const removed = await removeCaptions(owner, { videoId, language: 'de' })
    expect(removed.label).toBe('Für alle')
    await putCaptions(owner, { ...captions.parse({ videoId, language: 'de', ...removed }), expected: null })
    // Under the name that is the hash of the same content.
    expect(await stored(extraPrefix(videoId))).toEqual(added)
    const [{ name = '', label = '' } = {}] = await db().caption.findMany({ where: { videoId, language: 'de' } })
    const other = captions.parse({ videoId, language: 'de', text: text.replace('Lost', 'Found') })
    expect(await putCaptions(owner, { ...other, expected: { name, label } })).toMatchObject({ label: 'Deutsch', replaced: removed })
    expect(await putCaptions(owner, other)).not.toHaveProperty('replaced')
    await removeCaptions(owner, { videoId, language: 'de' })
    expect(await stored(extraPrefix(videoId))).toHaveLength(added.length + 1)
  })

  it('is never confused with a file that another change has just stored', async () => {
    const before = await stored(extraPrefix(videoId))
    const languages = ['fr', 'it', 'es', 'nl', 'sv', 'da']
    await Promise.all(
      languages.map((language) => putCaptions(owner, captions.parse({ videoId, language, text: text.replace('Lost', language) }))),
    )
    expect(await stored(extraPrefix(videoId))).toHaveLength(before.length + languages.length)
    for (const language of languages) await removeCaptions(owner, { videoId, language })
    expect(await stored(extraPrefix(videoId))).toHaveLength(before.length + languages.length)
  })
})

describe('captions', () => {
  it('are in the master playlist by language, mapped to the time stamps of the segments', async () => {
    expect(await text('master.m3u8')).not.toContain('SUBTITLES')
    await putCaptions(owner, captions.parse({ videoId, language: 'EN', text: SRT }))
    await putCaptions(owner, captions.parse({ videoId, language: 'pt-br', label: 'Português', text: SRT }))
    await vi.waitFor(async () => expect(await text('master.m3u8')).toContain('pt-BR'))
    const master = await text('master.m3u8')
    expect(master).toContain(
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="English",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions-en.m3u8"',
    )
    expect(master.match(/#EXT-X-STREAM-INF:.*,SUBTITLES="captions",CLOSED-CAPTIONS=NONE\n/g)).toHaveLength(2)
    expect(await text('captions-pt-BR.m3u8')).toContain('#EXTINF:9.000000,\ncaptions-pt-BR.vtt\n#EXT-X-ENDLIST')
    const response = await open('captions-en.vtt')
    expect(response.headers.get('content-type')).toBe('text/vtt; charset=utf-8')
    const vtt = await response.text()
    expect(vtt).toContain('00:00:01.000 --> 00:00:02.000\nHello')
    const read = vi.spyOn(storage(), 'read')
    expect(await text('captions-en.vtt')).toBe(vtt)
    expect(read.mock.calls.filter(([key]) => key.startsWith(extraPrefix(videoId)))).toEqual([])
    read.mockRestore()

    // 0 s of the captions must be the first frame's time stamp.
    const segment = /https?:\S+\.ts/.exec(await text('360p.m3u8', plainId))?.[0] ?? ''
    const path = join(dataDir, 'first.ts')
    await writeFile(path, await bytes(await fetch(segment)))
    const { streams } = (await ffprobe(path)).found as { streams: { codec_type: string; start_pts: number }[] }
    const first = streams.find((one) => one.codec_type === 'video')?.start_pts
    expect(vtt).toContain(`X-TIMESTAMP-MAP=MPEGTS:${first},LOCAL:00:00:00.000`)
  })

  it('are replaced and removed; their texts stay as versions', async () => {
    const before = await stored(extraPrefix(videoId))
    await putCaptions(owner, captions.parse({ videoId, language: 'en', text: SRT.replace('Hello', 'Bye') }))
    await vi.waitFor(async () => expect(await text('captions-en.vtt')).toContain('Bye'))
    expect(await stored(extraPrefix(videoId))).toHaveLength(before.length + 1)
    for (const language of ['en', 'pt-BR']) await removeCaptions(owner, { videoId, language })
    await vi.waitFor(async () => expect((await open('captions-en.vtt')).status).toBe(404))
    expect(await stored(extraPrefix(videoId))).toHaveLength(before.length + 1)
    await expect(removeCaptions(owner, { videoId, language: 'en' })).rejects.toMatchObject({ code: 'CAPTIONS_NOT_FOUND' })
  })

  it('require permission to change videos', async () => {
    const input = captions.parse({ videoId, language: 'en', text: SRT })
    await expect(putCaptions(viewer, input)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(putCaptions(await makeAccount(), input)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    await expect(putCaptions(owner, { ...input, text: 'none' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it.each([{ language: '../../x' }, { language: 'en"' }, { language: '' }, { label: 'a"b' }, { label: 'a\nb' }, { label: 'x'.repeat(61) }])(
    'are refused with %j',
    (wrong) => {
      expect(captions.safeParse({ videoId, language: 'en', text: SRT, ...wrong }).success).toBe(false)
    },
  )
})

it('an unencrypted video plays from plain segments without a key', async () => {
  const playlist = await text('360p.m3u8', plainId)
  expect(playlist).not.toContain('EXT-X-KEY')
  const segment = await bytes(await fetch(/https?:\S+\.ts/.exec(playlist)?.[0] ?? ''))
  expect([0, 188, 376].map((at) => segment[at])).toEqual([0x47, 0x47, 0x47])
  expect(await db().media.findUniqueOrThrow({ where: { id: plainId } })).toMatchObject({ encrypted: false, contentKey: null })
})

it("videoLog returns the processing steps to the video's account alone", async () => {
  const log = await videoLog(owner, { videoId })
  expect(log.map((line) => line.step)).toEqual(['start', 'probe', 'encode', 'store', 'complete'])
  expect(log[1]?.message).toBe('Analyzed the file: 9.0 s, 640×360, 15 frames per second, with audio.')
  await expect(videoLog(await makeAccount(), { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
})

it('a deleted video is refused with all its files; after the purge none is left', async () => {
  const id = await transcoded()
  await putCaptions(owner, captions.parse({ videoId: id, language: 'en', text: SRT }))
  const sheet = /storyboard-\w+\.jpg/.exec(await text('storyboard.vtt', id))?.[0] ?? ''
  const files = ['poster.jpg', 'storyboard.vtt', sheet, 'captions-en.vtt', 'captions-en.m3u8']
  await vi.waitFor(async () =>
    expect(await Promise.all(files.map(async (file) => (await open(file, id)).status))).toEqual(files.map(() => 200)),
  )
  await removeVideo(owner, { videoId: id })
  await vi.waitFor(async () =>
    expect(await Promise.all(files.map(async (file) => (await open(file, id)).status))).toEqual(files.map(() => 404)),
  )
  await removeMedia(id)
  expect([...(await stored(picturePrefix(id))), ...(await stored(extraPrefix(id)))]).toEqual([])
})
