import { beforeAll, describe, expect, it } from 'vitest'
import { POST } from '../../../../app/embed/[videoId]/beacon/route.ts'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makePlayable } from '../../../testing/make.ts'
import { picturePacket } from '../../../testing/media/picture-packet.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { contentName } from '../../transcoding/encode/segment-store.ts'
import { extraKey, pictureKey, segmentKey } from '../../videos/media-keys.ts'
import { masterPlaylistUrl, permittedUrl } from './media-permit.ts'

await testDatabase()
const base = await startHttpServer()

const PICTURES = ['a poster', 'a candidate', 'a sheet'].map((text) => Buffer.from(text))
const VTT = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n')
const [POSTER, CANDIDATE, SHEET, CAPTIONS] = [...PICTURES, VTT].map(contentName) as [string, string, string, string]
let ctx: AccountCtx
let videoId: string
beforeAll(async () => {
  ctx = await makeAccount()
  videoId = await makePlayable(ctx, { encrypted: false, poster: POSTER, posterCandidates: [POSTER, CANDIDATE] })
  const storyboard = { everySec: 10, count: 2, columns: 5, rows: 5, width: 160, height: 90, sheets: [SHEET] }
  await db().media.update({ where: { id: videoId }, data: { storyboard, chapters: [{ startSec: 0, endSec: 9, title: 'One' }] } })
  await db().caption.create({ data: { videoId, name: CAPTIONS, cues: 1, bytes: 9, language: 'en', label: 'English' } })
  for (const picture of PICTURES) await storage().put(pictureKey(videoId, contentName(picture)), picture)
  await storage().put(extraKey(videoId, CAPTIONS), VTT)
  await storage().put(segmentKey(videoId, 'a'.repeat(32)), picturePacket(126_000))
})

const FILES = [
  'master.m3u8',
  '360p.m3u8',
  'captions-en.m3u8',
  'session.json',
  'chapters.vtt',
  'captions-en.vtt',
  'poster.jpg',
  `poster-${CANDIDATE}.jpg`,
  'storyboard.vtt',
  `storyboard-${SHEET}.jpg`,
]

/** The files that each URL permits when its last segment is replaced; all others return PLAYBACK_TOKEN_INVALID. */
const OPENS: Record<string, { address: () => string; files: string[] }> = {
  'a player’s session': { address: () => masterPlaylistUrl(videoId, 60).url, files: FILES },
  'a poster of the dashboard': {
    address: () => permittedUrl(SERVICE, videoId, `poster-${POSTER}.jpg`, 6),
    files: FILES.filter((file) => /^(poster|storyboard)/.test(file)),
  },
  'the storyboard of the dashboard': {
    address: () => permittedUrl(SERVICE, videoId, 'storyboard.vtt', 6),
    files: FILES.filter((file) => /^(poster|storyboard)/.test(file)),
  },
  'captions of the dashboard': { address: () => permittedUrl(SERVICE, videoId, 'captions-en.vtt', 6), files: ['captions-en.vtt'] },
}

const sibling = (address: string, file: string) => new URL(file, address).href

it('the URL of a poster does not permit the playlists and the key of the video', async () => {
  const poster = permittedUrl(SERVICE, videoId, `poster-${POSTER}.jpg`, 6)
  expect((await fetch(poster)).status).toBe(200)
  const opened: string[] = []
  for (const file of ['master.m3u8', '360p.m3u8']) {
    const answer = await fetch(sibling(poster, file))
    const text = await answer.text()
    if (answer.ok) opened.push(file)
    const key = /EXT-X-KEY:[^\n]*URI="([^"]+)"/.exec(text)?.[1]
    if (key && (await fetch(key)).ok) opened.push('the key')
  }
  expect(opened).toEqual([])
})

describe.each(Object.entries(OPENS))('%s', (_name, { address, files }) => {
  it.each(FILES)('%s', async (file) => {
    const answer = await fetch(sibling(address(), file))
    const result = answer.ok ? 'opened' : (await answer.json()).error.code
    expect(result).toBe(files.includes(file) ? 'opened' : 'PLAYBACK_TOKEN_INVALID')
  })
})

it('the purpose inside a URL cannot be replaced by another one', async () => {
  const permitOf = (url: string) => new URL(url).pathname.split('/').at(-2) as string
  const picture = permitOf(permittedUrl(SERVICE, videoId, 'poster.jpg', 6))
  const session = permitOf(masterPlaylistUrl(videoId, 60).url)
  const captions = permitOf(permittedUrl(SERVICE, videoId, 'captions-en.vtt', 6))
  const [, payload = '', signature = ''] = /^(.+)-([\w-]{22})$/.exec(session) ?? []
  const tail = picture.slice(-22)
  const forged = [
    `${payload}-${tail}`,
    picture.replace(/^\w+-/, 'captions-'),
    picture.replace(/^\w+-/, ''),
    captions.replace(/^\w+-/, 'pictures-'),
    captions.replace(/^\w+-/, 'session-'),
    `${payload.split('-')[0]}-${signature}`,
    `pictures-${payload.split('-')[0]}-${signature}`,
    `pictures-${session}`,
  ]
  for (const permit of forged) {
    for (const file of FILES) {
      const answer = await fetch(`${base}/cdn/hls/${videoId}/${permit}/${file}`)
      expect([permit, file, answer.status]).toEqual([permit, file, 401])
    }
  }
})

it('the URL of a picture cannot report views', async () => {
  const report = { session: 'a'.repeat(32), watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], startupMs: 1 }
  const send = async (url: string) => {
    const permit = new URL(url).pathname.split('/').at(-2)
    const body = JSON.stringify({ ...report, permit })
    const request = new Request(`${base}/embed/${videoId}/beacon`, {
      method: 'POST',
      body,
      headers: { 'content-length': `${body.length}` },
    })
    return (await POST(request, { params: Promise.resolve({ videoId }) })).status
  }
  expect(await send(permittedUrl(SERVICE, videoId, 'poster.jpg', 6))).toBe(401)
  expect(await send(masterPlaylistUrl(videoId, 60).url)).toBe(204)
})
