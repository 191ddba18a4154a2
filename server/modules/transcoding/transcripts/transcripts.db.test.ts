import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { db } from '../../../platform/database/database.ts'
import { newLease } from '../../../platform/leases.ts'
import type { Tier } from '../../../platform/prisma/enums.ts'
import { SERVICE } from '../../../platform/turns/caller.ts'
import { waitingForProcessor } from '../../../platform/turns/processor.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { readTranscript } from '../../../testing/transcript.ts'
import { putCaptions, removeCaptions } from '../../videos/captions/captions.ts'
import { publishDraft, saveDraft } from '../../videos/captions/drafts.ts'
import { openEditor } from '../../videos/captions/editor.ts'
import { completeTranscript, endWithout, NO_SPEECH } from './end-transcript.ts'
import { finishTranscript } from './finish-transcript.ts'
import { generateCaptions } from './generate-captions.ts'
import { readTranscriptions } from './read-transcriptions.ts'
import { queueAutoCaptions, requeueTranscripts } from './request-transcript.ts'
import { leaseNextTranscript, releaseTranscript, type TranscriptLease, whileHeld } from './transcript-lease.ts'

await testDatabase()

const ON = { SPEECH_URL: 'https://speech.example.com/v1' }
const on = (values: object = ON) => {
  provide({ SPEECH_URL: undefined, SPEECH_ENGINE: undefined, ...values })
  renew('speechEngine')
}
let ctx: AccountCtx
beforeEach(async () => {
  await db().account.deleteMany()
  await db().transcodeClock.updateMany({ data: { speechTurn: 0 } })
  on()
  ctx = await makeAccount()
})
afterEach(() => on())

const ALL = { tiers: ['FREE', 'PAID'] } as const
const generate = (videoId: string, language = 'auto', replace = false, as = ctx) => generateCaptions(as, { videoId, language, replace })
const lease = async (): Promise<TranscriptLease> => {
  const leased = await leaseNextTranscript(ALL)
  if (!leased) throw new Error('nothing was due')
  return leased
}
const text = 'WEBVTT\n\n00:00.000 --> 00:01.000\nUploaded\n'
const upload = (videoId: string, language = 'en') => putCaptions(ctx, { videoId, language, label: '', text, expected: undefined })
const words = JSON.stringify([['Hello', 300, 600]])
const body = new TextEncoder().encode('WEBVTT\n\n00:00:00.300 --> 00:00:01.300\nHello\n')
const complete = (leased: TranscriptLease, language = 'en') => completeTranscript(leased, { language, words, body, cues: 1 })
const captionsOf = (videoId: string) =>
  db().caption.findMany({
    where: { videoId },
    orderBy: { language: 'asc' },
    select: { language: true, label: true, generated: true, edited: true },
  })
const events = async (type: string) =>
  (await db().webhookEvent.findMany({ where: { type }, select: { payload: true } })).map(({ payload }) => JSON.parse(payload))
const GENERATED = { language: 'en', label: 'English', generated: true, edited: false }

describe('a request', () => {
  it('is queued once, recorded, and shown with its state', async () => {
    const videoId = await makeVideo(ctx)
    const first = await generate(videoId)
    expect(first).toMatchObject({ requested: 'auto', state: 'waiting', progress: 0, language: null, endedAt: null })
    expect(await generate(videoId)).toEqual({ ...first, reason: expect.any(String) })
    expect(await db().auditEntry.count({ where: { action: 'video.generateCaptions' } })).toBe(1)
    expect(await db().transcript.count()).toBe(1)
  })

  it('is refused without an engine, with the sentence that says how to switch it on', async () => {
    on({})
    await expect(generate(await makeVideo(ctx))).rejects.toMatchObject({
      code: 'CAPTIONS_CONFLICT',
      message: expect.stringContaining('WHISPER_MODEL'),
      extras: { details: { reason: 'OFF' } },
    })
  })

  it('is refused for a language that the engine does not understand', async () => {
    on({ SPEECH_ENGINE: 'pocketsphinx' })
    const videoId = await makeVideo(ctx)
    await expect(generate(videoId, 'de')).rejects.toMatchObject({ extras: { details: { reason: 'LANGUAGE' } } })
    expect(await generate(videoId, 'en-GB')).toMatchObject({ requested: 'en-GB' })
  })

  it('is refused before the video is COMPLETED', async () => {
    const videoId = await makeVideo(ctx, { status: 'PROCESSING', completedAt: null })
    await expect(generate(videoId)).rejects.toMatchObject({ code: 'VIDEO_NOT_READY' })
  })

  it('never replaces captions that a person uploaded, and edited ones only if asked', async () => {
    const videoId = await makeVideo(ctx)
    await upload(videoId)
    await expect(generate(videoId, 'en', true)).rejects.toMatchObject({ extras: { details: { reason: 'UPLOADED' } } })
    await db().caption.updateMany({ data: { generated: true, edited: true } })
    await expect(generate(videoId, 'en')).rejects.toMatchObject({ extras: { details: { reason: 'EDITED' } } })
    await generate(videoId, 'en', true)
    expect(await complete(await lease())).toBe(true)
    expect(await captionsOf(videoId)).toEqual([GENERATED])
  })

  it('counts against the minutes of the month, with those that are not transcribed yet', async () => {
    const limit = { accountId: ctx.accountId, name: 'transcribedMinutes', value: 2n, reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: limit })
    const month = new Date().toISOString().slice(0, 8)
    await db().transcribedDay.create({ data: { accountId: ctx.accountId, day: new Date(`${month}01`), seconds: 60 } })
    await db().transcribedDay.create({ data: { accountId: ctx.accountId, day: new Date('2026-01-31'), seconds: 6_000 } })
    await generate(await makeVideo(ctx, { durationSec: 40 }))
    const other = await makeVideo(ctx, { durationSec: 40 })
    await expect(generate(other)).rejects.toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      extras: { details: { limit: 'transcribedMinutes' }, retryAfter: expect.any(Number) },
    })
    expect(await db().transcript.count({ where: { videoId: other } })).toBe(0)
  })
})

it('requests of one moment cannot exceed the minutes of the month together', async () => {
  const limit = { accountId: ctx.accountId, name: 'transcribedMinutes', value: 1n, reason: 'a test', setBy: 'usr_test' }
  await db().accountLimit.create({ data: limit })
  const videos = await Promise.all(Array.from({ length: 8 }, () => makeVideo(ctx, { durationSec: 25 })))
  const outcomes = await Promise.allSettled(videos.map((videoId) => generate(videoId)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await db().transcript.count()).toBe(2)
})

describe('captions from speech', () => {
  it('are stored with their words, announced, and marked as generated', async () => {
    const videoId = await makeVideo(ctx, { externalId: 'lesson-1' })
    await generate(videoId)
    expect(await complete(await lease())).toBe(true)
    expect(await captionsOf(videoId)).toEqual([GENERATED])
    expect(await db().transcript.findFirst()).toMatchObject({ state: 'done', language: 'en', words: [['Hello', 300, 600]] })
    expect((await events('video.captions.ready'))[0]).toMatchObject({
      data: { videoId, externalId: 'lesson-1', language: 'en', cues: 1 },
    })
    expect(await readTranscriptions(videoId)).toMatchObject([{ state: 'completed', language: 'en', progress: 1 }])
    await upload(videoId)
    expect(await captionsOf(videoId)).toEqual([{ ...GENERATED, generated: false }])
  })

  it('are in the language that was spoken longest in the video, without the chunks that failed', async () => {
    const videoId = await makeVideo(ctx, { durationSec: 240 })
    await generate(videoId)
    const said = (language: string, count: number, fromSec: number) => ({
      ...{ language, fromSec, toSec: fromSec + 60, doneAt: new Date() },
      words: Array.from({ length: count }, (_, at) => [`word${at}`, (fromSec + at) * 1_000, (fromSec + at) * 1_000 + 500]),
    })
    const chunks = [said('de', 5, 0), said('en', 30, 60), said('de', 7, 120), { fromSec: 180, toSec: 240, doneAt: new Date() }]
    await db().transcriptChunk.createMany({ data: chunks.map((chunk, position) => ({ videoId, wanted: 'auto', position, ...chunk })) })
    expect(await finishTranscript(await lease())).toBe(true)
    expect(await captionsOf(videoId)).toEqual([GENERATED])
    expect((await db().transcript.findFirstOrThrow()).words).toHaveLength(42)
  })

  it('keep their mark when a person removes them and puts them back', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    await complete(await lease())
    const { text: removed, ...fields } = await removeCaptions(ctx, { videoId, language: 'en' })
    await putCaptions(ctx, { videoId, language: 'en', ...fields, text: removed ?? '', expected: null })
    expect(await captionsOf(videoId)).toEqual([GENERATED])
  })

  it('have words only as long as their text is the one made of them', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    await complete(await lease())
    const read = async () => {
      const { cues, words, generated, edited } = await readTranscript(ctx, { videoId })
      return [cues?.map(({ text }) => text), words?.map(({ text }) => text) ?? null, generated, edited]
    }
    expect(await read()).toEqual([['Hello'], ['Hello'], true, false])
    const publish = async (text: string) => {
      const expected = (await openEditor(ctx, { videoId, language: 'en' })).captions
      const draft = { videoId, language: 'en', text, basedOn: expected?.name ?? null }
      const { revision } = await saveDraft(ctx, { ...draft, revision: 0 })
      await publishDraft(ctx, { videoId, language: 'en', revision, expected })
    }
    await publish('WEBVTT\n\n00:00:00.300 --> 00:00:01.300\nHullo\n')
    expect(await read()).toEqual([['Hullo'], null, true, true])
    await publish(String(Buffer.from(body)))
    expect(await read()).toEqual([['Hello'], ['Hello'], true, false])
    // Another text of the same marks, as an undo puts it back.
    await putCaptions(ctx, { videoId, language: 'en', label: '', text, generated: true, edited: false })
    expect(await read()).toEqual([['Uploaded'], null, true, false])
  })

  it('are read in the turns of the processor', async () => {
    const videoId = await makeVideo(ctx)
    await upload(videoId)
    const turn = await services().processor.turns.take(SERVICE)
    const reading = readTranscript(ctx, { videoId, format: 'text' })
    await expect.poll(() => waitingForProcessor(SERVICE[0])).toBe(1)
    turn.end()
    expect(await reading).toMatchObject({ content: 'Uploaded\n' })
  })

  it('do not replace edits without being told to, nor edits that came after they were requested', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    await complete(await lease())
    const edit = async (text: string) => {
      const expected = (await openEditor(ctx, { videoId, language: 'en' })).captions
      const draft = { videoId, language: 'en', text: `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`, basedOn: expected?.name ?? null }
      const { revision } = await saveDraft(ctx, { ...draft, revision: 0 })
      await publishDraft(ctx, { videoId, language: 'en', revision, expected })
    }
    await edit('Corrected')
    await expect(generate(videoId, 'en')).rejects.toMatchObject({ extras: { details: { reason: 'EDITED' } } })
    await generate(videoId)
    await complete(await lease())
    expect(await captionsOf(videoId)).toEqual([{ ...GENERATED, edited: true }])
    await db().$transaction((tx) => queueAutoCaptions(tx, { accountId: ctx.accountId, videoId }))
    await generate(videoId, 'en', true)
    await edit('Corrected since')
    await complete(await lease())
    expect(await captionsOf(videoId)).toEqual([{ ...GENERATED, edited: true }])
    expect(await readTranscriptions(videoId)).toContainEqual(
      expect.objectContaining({ requested: 'en', state: 'failed', reason: expect.stringContaining('edited') }),
    )
    await generate(videoId, 'en', true)
    await complete(await lease())
    expect(await captionsOf(videoId)).toEqual([GENERATED])
    const { versions } = await openEditor(ctx, { videoId, language: 'en' })
    expect(versions.map(({ kind }) => kind)).toEqual(['generated', 'edited', 'edited', 'generated'])
  })

  it('replace edits that the same request allowed while it was open', async () => {
    const videoId = await makeVideo(ctx)
    await putCaptions(ctx, { videoId, language: 'en', label: '', text, generated: true, edited: true })
    await generate(videoId)
    const leased = await lease()
    await generate(videoId, 'auto', true)
    await generate(videoId)
    expect(await complete(leased)).toBe(true)
    expect(await captionsOf(videoId)).toEqual([GENERATED])
    expect(await db().transcript.count()).toBe(1)
  })

  it('do not replace captions that a person uploaded in the meantime', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    const leased = await lease()
    await upload(videoId)
    expect(await complete(leased)).toBe(true)
    expect(await captionsOf(videoId)).toEqual([{ ...GENERATED, generated: false }])
    expect((await events('video.captions.failed'))[0]).toMatchObject({ data: { code: 'CAPTIONS_EXIST', language: null } })
    expect(await readTranscriptions(videoId)).toMatchObject([{ state: 'failed', reason: expect.stringContaining('English') }])
  })

  it('are none for a video without speech, which says so', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    expect(await endWithout(await lease(), NO_SPEECH)).toBe(true)
    expect(await readTranscriptions(videoId)).toMatchObject([{ state: 'empty', reason: NO_SPEECH.reason }])
    expect((await events('video.captions.failed'))[0]).toMatchObject({ data: { code: 'NO_SPEECH' } })
  })

  it('are requested anew when a video gets another source, unless a person edited them', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    await complete(await lease())
    await generate(videoId, 'de')
    await complete(await lease(), 'de')
    await db().caption.updateMany({ where: { language: 'de' }, data: { edited: true } })
    await db().$transaction((tx) => requeueTranscripts(tx, videoId))
    expect(await captionsOf(videoId)).toMatchObject([{ language: 'de', edited: true }])
    expect((await openEditor(ctx, { videoId, language: 'en' })).versions).toMatchObject([{ kind: 'generated', isCurrent: false }])
    expect(await db().transcript.findMany({ select: { wanted: true, state: true } })).toEqual([{ wanted: 'auto', state: 'open' }])
  })
})

describe('a lease', () => {
  it('that another worker took, or whose request ended, writes nothing', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    const lost = await lease()
    expect(await leaseNextTranscript(ALL)).toBeUndefined()
    await db().$executeRaw`UPDATE transcript SET leased_until = service_now() - interval '1 second'`
    const taken = await lease()
    expect(taken).toMatchObject({ videoId, losses: 1 })
    expect(await complete(lost)).toBe(false)
    expect(await whileHeld({ ...taken, leaseId: newLease() }, async () => true)).toBeUndefined()
    expect(await complete(taken)).toBe(true)
    expect(await complete(taken)).toBe(false)
    expect(await events('video.captions.ready')).toHaveLength(1)
  })

  it('that returns its chunk explains why, and when it is due again', async () => {
    const videoId = await makeVideo(ctx)
    await generate(videoId)
    await releaseTranscript(await lease(), { cause: 'engine', afterSec: 60, counts: 'storage_faults' })
    expect(await leaseNextTranscript(ALL)).toBeUndefined()
    expect(await readTranscriptions(videoId)).toMatchObject([
      { state: 'retrying', attempts: 1, reason: 'The speech-to-text engine did not respond.', nextTryAt: expect.any(String) },
    ])
  })

  it('goes to accounts in turns, to paid ones three times as often', async () => {
    const other = await makeAccount()
    const tier = (account: AccountCtx, to: Tier) => db().account.update({ where: { id: account.accountId }, data: { tier: to } })
    await tier(other, 'PAID')
    await generate(await makeVideo(ctx, { title: 'free' }))
    await generate(await makeVideo(other, { title: 'paid' }), 'auto', false, other)
    const order: string[] = []
    for (let turn = 0; turn < 8; turn++) {
      const leased = await lease()
      order.push(leased.accountId === ctx.accountId ? 'free' : 'paid')
      await releaseTranscript(leased, { cause: 'stopped', afterSec: 0 })
      await db().$executeRaw`UPDATE transcript SET due_at = service_now() - interval '1 second'`
    }
    expect(order.filter((who) => who === 'paid')).toHaveLength(6)
  })
})

describe('a video that is complete', () => {
  const complete = (videoId: string) => db().$transaction((tx) => queueAutoCaptions(tx, { accountId: ctx.accountId, videoId }))
  const auto = async (video: { autoCaptions?: boolean; captionLanguage?: string }, account: boolean, wanted = 'auto'): Promise<number> => {
    await db().account.update({ where: { id: ctx.accountId }, data: { autoCaptions: account } })
    const videoId = await makeVideo(ctx)
    await db().video.update({ where: { id: videoId }, data: video })
    await complete(videoId)
    return db().transcript.count({ where: { videoId, wanted, state: 'open' } })
  }

  it('gets captions if its upload or its account asks for them, and the installation can', async () => {
    expect(await auto({}, false)).toBe(0)
    expect(await auto({}, true)).toBe(1)
    expect(await auto({ autoCaptions: false }, true)).toBe(0)
    expect(await auto({ autoCaptions: true }, false)).toBe(1)
    expect(await auto({ autoCaptions: true, captionLanguage: 'pt-BR' }, false, 'pt-BR')).toBe(1)
    on({})
    expect(await auto({ autoCaptions: true }, true)).toBe(0)
  })

  it('gets none in a language that the engine does not understand, or that its file has captions in, and says so', async () => {
    on({ SPEECH_ENGINE: 'pocketsphinx' })
    expect(await auto({ autoCaptions: true, captionLanguage: 'de' }, false, 'de')).toBe(0)
    const videoId = await makeVideo(ctx)
    await db().video.update({ where: { id: videoId }, data: { autoCaptions: true, captionLanguage: 'en' } })
    await upload(videoId)
    await complete(videoId)
    expect((await events('video.captions.failed')).map(({ data }) => [data.language, data.code, data.reason])).toEqual([
      ['de', 'FAILED', 'The speech-to-text engine of this installation does not understand German, only English.'],
      ['en', 'CAPTIONS_EXIST', expect.stringContaining('already has captions in English')],
    ])
  })

  it('gets none beyond the minutes of the month, and says so', async () => {
    const limit = { accountId: ctx.accountId, name: 'transcribedMinutes', value: 0n, reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: limit })
    expect(await auto({}, true)).toBe(0)
    expect((await events('video.captions.failed'))[0]).toMatchObject({ data: { code: 'LIMIT_REACHED' } })
  })
})
