import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { ffmpegProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount } from '../../../testing/make.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { recount } from '../../../testing/recount.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import type { PlaybackSession } from '../../delivery/sessions/session.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { putCaptions } from '../../videos/captions/captions.ts'
import { readExtra } from '../../videos/extras.ts'
import { extraPrefix } from '../../videos/media-keys.ts'
import { putCaptionsInput } from '../../videos/schema.ts'
import { newContentKey, sealContentKey } from '../encode/content-key.ts'
import { planOf } from '../plan/plan-video.ts'
import { probe } from '../probe/probe.ts'
import { addSourceCaptions } from '../probe/source-captions.ts'
import { storePlan } from './task-writes.ts'

await testDatabase()
const never = new AbortController().signal
let ctx: AccountCtx
let scratch: string
beforeAll(async () => {
  await startHttpServer()
  await startQueue(JOBS)
  ctx = await makeAccount()
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-tracks-'))
})
afterAll(async () => {
  await stopQueue()
  await rm(scratch, { recursive: true, force: true })
})

const SECONDS = 6
const picture = ['-f', 'lavfi', '-i', `testsrc2=size=64x36:rate=10:duration=${SECONDS}`]
const tone = (pitch: number) => ['-f', 'lavfi', '-i', `sine=frequency=${pitch}:duration=${SECONDS}`]
const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
const given = async (name: string, content: string | Buffer) => {
  await writeFile(join(scratch, name), content)
  return ['-i', join(scratch, name)]
}
const made = async (name: string, args: string[]) => {
  await ffmpeg([...args, join(scratch, name)])
  return join(scratch, name)
}
const srt = (...lines: string[]) =>
  lines.map((line, at) => `${at + 1}\n00:00:0${at + 1},000 --> 00:00:0${at + 1},500\n${line}\n`).join('\n')
const metadata = (chapters: [startMs: number, endMs: number, title: string][]) =>
  `;FFMETADATA1\n${chapters.map(([start, end, title]) => `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\n${title && `title=${title}\n`}`).join('')}`

let tracks: Promise<string> | undefined
/** Returns a Matroska file with two tracks of sound, two of subtitles and two chapters. */
function mkv(): Promise<string> {
  tracks ??= makeMkv()
  return tracks
}

async function makeMkv(): Promise<string> {
  return made('tracks.mkv', [
    ...[...picture, ...tone(440), ...tone(880)],
    ...(await given('en.srt', srt('Hello <i>there</i>', 'a --> b & <font color="red">c</font>'))),
    ...(await given('de.srt', srt('Hallo'))),
    ...(await given(
      'two.txt',
      metadata([
        [0, 2_500, 'Harbour <at> "dawn" --> &'],
        [2_500, 9_000, ''],
      ]),
    )),
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-map', '4', '-map_chapters', '5', ...codecs, '-c:s', 'srt'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=ger'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:0', 'title=English "SDH"', '-metadata:s:s:1', 'language=ger'],
  ])
}

async function transcoded(path: string): Promise<string> {
  const videoId = await pendingVideo(ctx, path, { targetQuality: '240p' })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  expect(await db().media.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ status: 'COMPLETED', failureReason: null })
  return videoId
}
const captionsOf = (videoId: string) => db().caption.findMany({ where: { videoId }, orderBy: { language: 'asc' } })
const textOf = async (videoId: string, language: string) => {
  const { name } = await db().caption.findUniqueOrThrow({ where: { videoId_language: { videoId, language } } })
  return String(await readExtra(videoId, name))
}
const logOf = async (videoId: string) =>
  (await db().videoLog.findMany({ where: { videoId }, orderBy: { id: 'asc' } })).map(({ message }) => message)
async function expectExactSums(videoId: string): Promise<void> {
  const captions = await captionsOf(videoId)
  const { captionBytes } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
  expect(Number(captionBytes)).toBe(captions.reduce((sum, { bytes }) => sum + bytes, 0))
  expect(await storageOf(ctx.accountId)).toMatchObject({ renditionBytes: (await recount(ctx.accountId)).renditionBytes })
}

it('a track that ends the pass over all of them is left out alone', async () => {
  const path = await mkv()
  const real = ffmpegProgram()
  const { FFMPEG_PATH: before = '' } = env()
  const failing = join(scratch, 'no-third-stream')
  await writeFile(failing, `#!/bin/sh\ncase "$*" in */3.srt*) echo 'Conversion failed!' >&2; exit 1;; esac\nexec '${real}' "$@"\n`)
  await chmod(failing, 0o755)
  // It starts the real one, which a confined program may read only if it is listed.
  provide({ FFMPEG_PATH: failing, FFMPEG_READS: isAbsolute(real) ? real : '' })
  renew('ffmpegPrograms')
  const videoId = await transcoded(path).finally(() => {
    provide({ FFMPEG_PATH: before, FFMPEG_READS: '' })
    renew('ffmpegPrograms')
  })
  expect((await captionsOf(videoId)).map(({ language }) => language)).toEqual(['de'])
  expect(await logOf(videoId)).toContain("The subtitles “English 'SDH'” (en) were not added: They are unreadable.")
})

describe('a Matroska file with chapters, two tracks of sound and two of subtitles', () => {
  let videoId: string
  beforeAll(async () => {
    videoId = await transcoded(await mkv())
  })
  const file = (name: string) => fetch(new URL(name, masterPlaylistUrl(videoId, SECONDS).url))

  it('becomes a video with both tracks and captions', async () => {
    expect(await db().audioRendition.findMany({ where: { mediaId: videoId }, orderBy: { position: 'asc' } })).toMatchObject([
      { language: 'en' },
      { language: 'de' },
    ])
    expect(await captionsOf(videoId)).toMatchObject([
      { language: 'de', label: 'Deutsch', cues: 1 },
      { language: 'en', label: "English 'SDH'", cues: 2 },
    ])
    expect(await textOf(videoId, 'en')).toMatch(/\n00:00:01\.0\d\d --> 00:00:01\.5\d\d\nHello <i>there<\/i>\n\n.*\na → b & c\n$/)
    expect(await logOf(videoId)).toContain("Captions from the file: “English 'SDH'” (en), (de).")
    await expectExactSums(videoId)
    expect(await (await file('captions-de.vtt')).text()).toMatch(/\nHallo\n$/)
  })

  it('has its chapters in session.json and in chapters.vtt', async () => {
    const { chapters } = (await (await file('session.json')).json()) as PlaybackSession
    expect(chapters).toEqual([
      { startSec: expect.closeTo(0, 1), endSec: expect.closeTo(2.5, 1), title: "Harbour <at> 'dawn' --> &" },
      { startSec: expect.closeTo(2.5, 1), endSec: expect.closeTo(SECONDS, 0), title: 'Chapter 2' },
    ])
    const answer = await file('chapters.vtt')
    expect(answer.headers.get('content-type')).toBe('text/vtt; charset=utf-8')
    expect(await answer.text()).toMatch(
      /^WEBVTT\n\n00:00:00\.0\d\d --> 00:00:02\.5\d\d\nHarbour &lt;at&gt; 'dawn' --&gt; &amp;\n\n00:00:02\.5\d\d --> 00:00:06\.0\d\d\nChapter 2\n$/,
    )
  })
})

it('an MP4 with mov_text becomes a video with captions; a video without chapters has no chapters.vtt', async () => {
  const path = await made('text.mp4', [
    ...picture,
    ...(await given('pt.srt', srt('Olá'))),
    ...['-map', '0', '-map', '1', ...codecs, '-c:s', 'mov_text'],
  ])
  const videoId = await transcoded(path)
  expect(await captionsOf(videoId)).toMatchObject([{ language: 'und', label: 'Subtitles', cues: 1 }])
  expect(await textOf(videoId, 'und')).toMatch(/\nOlá\n$/)
  const { url } = masterPlaylistUrl(videoId, SECONDS)
  expect(await (await fetch(new URL('session.json', url))).json()).toMatchObject({ chapters: [] })
  expect((await fetch(new URL('chapters.vtt', url))).status).toBe(404)
})

it('subtitles in ASS, SRT and WebVTT keep their rows and styles, and show no drawings', async () => {
  const events = [
    'Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an8}Top\\Nand {\\i1}italic{\\i0}, <b>',
    'Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,{\\an7\\p1}m 348 49 l 367 49{\\p0}',
  ]
  const ass = `[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n`
  const path = await made('rows.mkv', [
    ...picture,
    ...(await given('rows.ass', `${ass}${events.join('\n')}\n`)),
    ...(await given('rows.srt', srt('{\\an8}Oben'))),
    ...(await given('rows.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000 line:0 align:start\nEn haut\n')),
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...codecs, '-c:s', 'copy'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger', '-metadata:s:s:2', 'language=fre'],
  ])
  const videoId = await pendingVideo(ctx, path, { targetQuality: '240p' })
  const planning = await leaseOf({ accountId: ctx.accountId, videoId })
  const lease = planning && (await storePlan(planning, await planOf(path, '240p', never), null))?.next
  if (!lease) throw new Error('there is no task')
  const work = join(scratch, 'rows')
  await mkdir(work)
  await addSourceCaptions(lease, { work, signal: never })
  expect(await textOf(videoId, 'en')).toMatch(/^WEBVTT\n\n\S+ --> \S+ line:0\nTop\nand <i>italic<\/i>, &lt;b&gt;\n$/)
  expect(await textOf(videoId, 'de')).toMatch(/^WEBVTT\n\n\S+ --> \S+ line:0\nOben\n$/)
  expect(await textOf(videoId, 'fr')).toMatch(/^WEBVTT\n\n\S+ --> \S+ line:0 align:start\nEn haut\n$/)
  // Once its lease ends, its tasks come before those of later tests.
  await db().transcodeQueue.deleteMany({ where: { mediaId: videoId } })
})

it('subtitles from before the video delay no others', async () => {
  const recording = await made('from-21.mkv', [...picture, ...codecs, '-output_ts_offset', '21'])
  const cues = ['05', '22'].map((sec, at) => `${at + 1}\n00:00:${sec},000 --> 00:00:${sec},500\nAt ${sec}\n`).join('\n')
  const tracks = ['-map', '0', '-map', '1', '-c', 'copy', '-copyts', '-metadata:s:s:0', 'language=eng']
  const videoId = await transcoded(await made('before.mkv', ['-i', recording, ...(await given('before.srt', cues)), ...tracks]))
  expect(await textOf(videoId, 'en')).toMatch(/^WEBVTT\n\n00:00:0[01]\.\d+ --> 00:00:01\.\d+\nAt 22\n$/)
})

it('broken subtitles are left out, named in the log, and fail neither the video nor other tracks', async () => {
  // Latin-1 in a track that must be UTF-8, and a track that only translates signs.
  const path = await made('broken.mkv', [
    ...picture,
    ...(await given('fr.srt', Buffer.from(srt('Bonjour d####'), 'latin1'))),
    ...(await given('it.srt', srt('Ciao'))),
    ...(await given('en.srt', srt('Signs'))),
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...codecs, '-c:s', 'copy'],
    ...['-metadata:s:s:0', 'language=fre', '-metadata:s:s:1', 'language=ita', '-metadata:s:s:2', 'language=eng'],
    ...['-disposition:s:2', 'forced'],
  ])
  await writeFile(path, Buffer.from((await readFile(path)).toString('latin1').replace('####', '\xe9\xe8\xff\xfe'), 'latin1'))
  const videoId = await transcoded(path)
  expect((await captionsOf(videoId)).map(({ language }) => language)).toEqual(['it'])
  expect(await logOf(videoId)).toContainEqual(expect.stringMatching(/^The subtitles \(fr\) were not added: They /))
  await expectExactSums(videoId)
})

it('all tracks of one language become captions, which players tell apart by their names', async () => {
  const path = await made('sdh.mkv', [
    ...picture,
    ...(await given('full.srt', srt('Ciao'))),
    ...(await given('sdh.srt', srt('Ciao (forte)'))),
    ...(await given('third.srt', srt('Ciao ciao'))),
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...codecs, '-c:s', 'copy'],
    ...['-metadata:s:s:0', 'language=ita', '-metadata:s:s:1', 'language=ita', '-metadata:s:s:1', 'title=SDH'],
    ...['-metadata:s:s:2', 'language=ita'],
  ])
  const videoId = await transcoded(path)
  expect(await captionsOf(videoId)).toMatchObject([
    { language: 'it', label: 'Italiano' },
    { language: 'it-x-2', label: 'SDH' },
    { language: 'it-x-3', label: 'Italiano 2' },
  ])
  const { url } = masterPlaylistUrl(videoId, SECONDS)
  const tags = (await (await fetch(url)).text()).split('\n').filter((line) => line.includes('TYPE=SUBTITLES'))
  expect(tags.map((line) => /NAME="(.*?)",LANGUAGE="(.*?)".*AUTOSELECT=(\w+).*URI="(.*?)"/.exec(line)?.slice(1))).toEqual([
    ['Italiano', 'it', 'YES', 'captions-it.m3u8'],
    ['Italiano 2', 'it', 'NO', 'captions-it-x-3.m3u8'],
    ['SDH', 'it', 'NO', 'captions-it-x-2.m3u8'],
  ])
  const playlist = await (await fetch(new URL('captions-it-x-2.m3u8', url))).text()
  const [, file = ''] = /\n(captions-.*\.vtt)\n/.exec(playlist) ?? []
  expect(await (await fetch(new URL(file, url))).text()).toMatch(/\nCiao \(forte\)\n$/)
})

it('captions and chapters are stored once, however often a task is repeated', async () => {
  const path = await mkv()
  const videoId = await pendingVideo(ctx, path, { targetQuality: '240p' })
  const planning = await leaseOf({ accountId: ctx.accountId, videoId })
  const lease = planning && (await storePlan(planning, await planOf(path, '240p', never), sealContentKey(newContentKey(), videoId)))?.next
  if (!lease) throw new Error('there is no task')
  expect(await db().media.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({
    status: 'PROCESSING',
    chapters: [{ startSec: expect.closeTo(0, 1) }, { startSec: expect.closeTo(2.5, 1) }],
  })
  for (const attempt of ['first', 'second']) {
    const work = join(scratch, attempt)
    await mkdir(work)
    await addSourceCaptions(lease, { work, signal: never })
  }
  const once = await captionsOf(videoId)
  expect(once).toHaveLength(2)
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  expect((await db().video.findUniqueOrThrow({ where: { id: videoId } })).status).toBe('COMPLETED')
  expect(await captionsOf(videoId)).toEqual(once)
  const stored: string[] = []
  for await (const key of storage().list(extraPrefix(videoId))) stored.push(key)
  expect(stored).toHaveLength(2)
  expect((await logOf(videoId)).filter((line) => line.includes('not added'))).toEqual([])
  await expectExactSums(videoId)
})

it('captions that the owner uploaded are kept', async () => {
  const videoId = await pendingVideo(ctx, await mkv(), { targetQuality: '240p' })
  const text = srt('Meine eigenen')
  await putCaptions(ctx, putCaptionsInput.omit({ expected: true }).parse({ videoId, language: 'de', text }))
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  expect((await captionsOf(videoId)).map(({ language }) => language)).toEqual(['de', 'en'])
  expect(await textOf(videoId, 'de')).toMatch(/\nMeine eigenen\n$/)
  expect(await logOf(videoId)).toContain('The subtitles (de) were not added: The video already has captions in this language.')
  await expectExactSums(videoId)
})

it('of 300 chapters the first 200 are kept, in order and inside the video', async () => {
  const chapters = Array.from(
    { length: 300 },
    (_, at) => [at * 15, at * 15 + 40, `Chapter of ${'x'.repeat(at + 1)}`] as [number, number, string],
  )
  const path = await made('many.mkv', [
    ...picture,
    ...(await given('many.txt', metadata([...chapters, [70_000, 80_000, 'Behind the end']]))),
    ...['-map', '0', '-map_chapters', '1', ...codecs],
  ])
  const { chapters: read = [], durationSec } = await probe(path, never)
  expect(read).toHaveLength(200)
  for (const [at, { startSec, endSec, title }] of read.entries()) {
    expect(startSec).toBeCloseTo(at * 0.015, 3)
    expect(endSec).toBeGreaterThan(startSec)
    expect(endSec).toBeLessThanOrEqual(Math.min(read[at + 1]?.startSec ?? durationSec, durationSec))
    expect(title).toBe(`Chapter of ${'x'.repeat(at + 1)}`.slice(0, 80))
  }
})

it('chapters longer than what is read of them do not refuse the file', async () => {
  const long = Array.from({ length: 50 }, (_, at) => [at * 100, at * 100 + 100, 'x'.repeat(100_000)] as [number, number, string])
  const path = await made('long.mkv', [
    ...picture,
    ...(await given('long.txt', metadata(long))),
    ...['-map', '0', '-map_chapters', '1', ...codecs],
  ])
  expect(await probe(path, never)).toMatchObject({ width: 64, chapters: undefined })
})
