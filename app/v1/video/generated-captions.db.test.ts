import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { storeGenerated } from '../../../server/modules/videos/captions/captions.ts'
import { db } from '../../../server/platform/database/database.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { uploadCaller } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { provide, renew } from '../../../server/testing/settings.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'
import { said, VTT, videoCalls } from '../../../server/testing/video-calls.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: { id: string; value: string }
beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner, { scopes: ['video:read', 'video:write'] })
})
beforeEach(() => {
  provide({ SPEECH_URL: 'https://speech.example.com/v1' })
  renew('speechEngine')
})

const call = videoCalls(baseUrl, () => key.value)
const post = (path: string, body?: object, own = key.value) =>
  call(path, { method: 'POST', key: own, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })

describe('POST /v1/video/{id}/captions/{language}/generate', () => {
  it('accepts a request, with and without a body, and shows it in the processing state', async () => {
    const videoId = await makeVideo(owner)
    const made = said(await post(`${videoId}/captions/auto/generate`))
    expect(made).toMatchObject({ status: 202, data: { requested: 'auto', state: 'waiting' } })
    expect(said(await post(`${videoId}/captions/EN/generate`, { replace: true }))).toMatchObject({ status: 202, data: { requested: 'en' } })
    const { transcriptions } = said(await call(`${videoId}/processing`)).data as { transcriptions: { requested: string }[] }
    expect(transcriptions.map(({ requested }) => requested)).toEqual(['en', 'auto'])
  })

  it('needs video:write, a language and known fields', async () => {
    const videoId = await makeVideo(owner)
    const { value } = await makeKey(owner)
    expect(said(await post(`${videoId}/captions/auto/generate`, undefined, value))).toMatchObject({
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
    })
    expect(said(await post(`${videoId}/captions/-/generate`))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(said(await post(`${videoId}/captions/en/generate`, { replaces: true }))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })

  it('says how to switch speech to text on where it is off', async () => {
    provide({ SPEECH_URL: undefined })
    const { status, code, details } = said(await post(`${await makeVideo(owner)}/captions/auto/generate`))
    expect([status, code, details]).toEqual([409, 'CAPTIONS_CONFLICT', { reason: 'OFF' }])
  })
})

describe('GET /v1/video/{id}/transcript', () => {
  const body = new TextEncoder().encode('WEBVTT\n\n00:00:00.300 --> 00:00:01.300\nHello &amp; good\nmorning\n')

  it('has the cues of uploaded captions, in four formats', async () => {
    const videoId = await makeVideo(owner)
    expect(said(await call(`${videoId}/transcript`))).toMatchObject({ status: 404, code: 'CAPTIONS_NOT_FOUND' })
    await call(`${videoId}/captions/en`, { method: 'PUT', headers: { 'content-type': 'text/vtt' }, body: VTT })
    const about = { language: 'en', generated: false, edited: false }
    const none = { content: null, cues: null, words: null }
    const read = async (query: string) => said(await call(`${videoId}/transcript${query}`)).data
    expect(await read('')).toEqual({ ...about, ...none, cues: [{ startSec: 0, endSec: 1, text: 'Good morning' }] })
    expect(await read('?format=text')).toEqual({ ...about, ...none, content: 'Good morning\n' })
    expect(await read('?format=srt&language=EN')).toEqual({
      ...about,
      ...none,
      content: '1\n00:00:00,000 --> 00:00:01,000\nGood morning\n',
    })
    expect((await read('?format=vtt'))?.content).toMatch(/^WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nGood morning/)
    expect(said(await call(`${videoId}/transcript?language=de`))).toMatchObject({ status: 404, code: 'CAPTIONS_NOT_FOUND' })
    expect(said(await call(`${videoId}/transcript?format=pdf`))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })

  it('joins the lines of a caption as their script does', async () => {
    const videoId = await makeVideo(owner)
    const text = 'WEBVTT\n\n00:00.000 --> 00:02.000\n今天天气很好，\n我们去公园。\n'
    await call(`${videoId}/captions/zh`, { method: 'PUT', headers: { 'content-type': 'text/vtt' }, body: text })
    expect(said(await call(`${videoId}/transcript?format=text`)).data?.content).toBe('今天天气很好，我们去公园。\n')
  })

  it('has words with their times of generated captions, until a person edits them', async () => {
    const videoId = await makeVideo(owner)
    await db().$transaction((tx) => storeGenerated(tx, { videoId, language: 'en', body, cues: 1, replacesEdited: false }))
    const { name: captionsName } = await db().caption.findFirstOrThrow({ where: { videoId } })
    const done = { state: 'done', language: 'en', words: [['Hello', 300, 600]], durationSec: 20, captionsName }
    await db().transcript.create({ data: { videoId, wanted: 'auto', accountId: owner.accountId, ...done } })
    const read = async () => said(await call(`${videoId}/transcript`)).data
    expect(await read()).toMatchObject({
      ...{ generated: true, words: [{ startSec: 0.3, endSec: 0.6, text: 'Hello' }] },
      cues: [{ startSec: 0.3, endSec: 1.3, text: 'Hello & good\nmorning' }],
    })
    expect(said(await call(`${videoId}/captions`)).data).toEqual([
      { language: 'en', label: 'English', cues: 1, generated: true, edited: false },
    ])
    await db().caption.updateMany({ where: { videoId }, data: { edited: true } })
    expect(await read()).toMatchObject({ edited: true, words: null })
  })
})

it('an upload chooses whether its video gets captions', async () => {
  const caller = await uploadCaller(baseUrl)
  const chosen = async (input: object) => {
    const { uploadId, uploadUrl } = await caller.create(input)
    await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(likeVideo(500)) })
    const { videoId } = await caller.get(uploadId)
    const { autoCaptions, captionLanguage } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    return [autoCaptions, captionLanguage]
  }
  expect(await chosen({ captions: 'auto' })).toEqual([true, null])
  expect(await chosen({ captions: 'PT-br' })).toEqual([true, 'pt-BR'])
  expect(await chosen({ captions: 'none' })).toEqual([false, null])
  expect(await chosen({})).toEqual([null, null])
  expect((await caller.post({ captions: 'the spoken one' })).status).toBe(400)
})
