import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../../testing/make.ts'
import { recount } from '../../../testing/recount.ts'
import { watchVideos } from '../../dashboard/watch-videos.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { extraKey, extraPrefix } from '../media-keys.ts'
import { purgeVideos } from '../remove.ts'
import { MAX_CAPTION_LANGUAGES, MAX_CAPTION_VERSIONS } from '../schema.ts'
import { addCaptions, mayGenerate, putCaptions, removeCaptions, storeGenerated } from './captions.ts'
import { discardDraft, publishDraft, saveDraft } from './drafts.ts'
import { captionVersion, openEditor } from './editor.ts'

await testDatabase()
beforeAll(async () => {
  await startQueue(JOBS)
  return stopQueue
})

let owner: AccountCtx
let videoId: string
beforeEach(async () => {
  await db().account.deleteMany()
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const vtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`
const body = (text: string) => new TextEncoder().encode(vtt(text))
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const upload = (text: string, language = 'en', as = owner) => putCaptions(as, { videoId, language, label: '', text: vtt(text) })
const generate = (text: string, replacesEdited = false) =>
  db().$transaction((tx) => storeGenerated(tx, { videoId, language: 'en', body: body(text), cues: 1, replacesEdited }))
const fromFile = (text: string) =>
  db().$transaction((tx) => addCaptions(tx, { videoId, language: 'en', label: '', body: body(text), cues: 1 }))
const editor = (as = owner, language = 'en') => openEditor(as, { videoId, language })
const save = async (text: string, { as = owner, revision = 0, language = 'en' } = {}) => {
  const { captions } = await editor(as, language)
  const saved = await saveDraft(as, {
    ...{ videoId, language, text: vtt(text), revision },
    basedOn: captions?.name ?? null,
  })
  return saved.revision
}
/** Publishes what the editor shows. */
const publish = async (revision: number, { as = owner, label = '' } = {}) => {
  const { captions } = await editor(as)
  return publishDraft(as, { videoId, language: 'en', revision, label, expected: captions })
}
const edit = async (text: string) => publish(await save(text))
const versions = async () => (await editor()).versions.map(({ number, kind, by, isCurrent }) => [number, kind, by, isCurrent])
const textOf = async (number: number) => (await captionVersion(owner, { videoId, language: 'en', number })).text
const marks = () => db().caption.findFirst({ select: { generated: true, edited: true, fromSource: true } })
async function stored(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const { key, bytes } of storage().listSizes(extraPrefix(videoId))) found.set(key, bytes)
  return found
}
/** Compares what is stored with what rows name, and with what is counted. */
async function expectExact(): Promise<void> {
  const rows = await db().$queryRaw<{ name: string }[]>`
    SELECT name FROM caption WHERE video_id = ${videoId} UNION SELECT name FROM caption_version WHERE video_id = ${videoId}
    UNION SELECT name FROM caption_draft WHERE video_id = ${videoId}`
  const files = await stored()
  expect([...files.keys()].sort()).toEqual(rows.map(({ name }) => extraKey(videoId, name)).sort())
  const bytes = [...files.values()].reduce((sum, one) => sum + one, 0)
  expect((await storageOf(owner.accountId)).renditionBytes).toBe(bytes)
  expect((await recount(owner.accountId)).renditionBytes).toBe(bytes)
}

describe('versions', () => {
  it('name who stored each text, how and when, and are read by their number', async () => {
    const developer = await makeMember(owner, 'DEVELOPER')
    const { id: keyId } = await makeKey(owner, { name: 'Subtitler', scopes: ['video:write'] })
    const key: AccountCtx = { ...owner, actor: { kind: 'key', keyId, scopes: ['video:write'], environment: 'LIVE' } }
    await fromFile('source')
    await upload('by key', 'en', key)
    await upload('by member', 'en', developer)
    await edit('edited')
    expect(await versions()).toEqual([
      [4, 'edited', emailOf(owner), true],
      [3, 'uploaded', emailOf(developer), false],
      [2, 'uploaded', 'Subtitler', false],
      [1, 'source', null, false],
    ])
    for (const [number, text] of ['source', 'by key', 'by member', 'edited'].entries()) expect(await textOf(number + 1)).toBe(vtt(text))
    const { versions: all } = await editor()
    expect(all.every(({ at }, index) => index === 0 || at <= (all[index - 1]?.at ?? 0))).toBe(true)
    await expect(textOf(5)).rejects.toMatchObject({ code: 'CAPTIONS_NOT_FOUND' })
    await db().membership.deleteMany({ where: { userId: (developer.actor as { userId: string }).userId } })
    expect((await editor()).versions[1]).toMatchObject({ by: 'Former member' })
    await expectExact()
  })

  it('are kept when speech is transcribed again, and when captions are removed or put back', async () => {
    await generate('first')
    await generate('second')
    expect(await versions()).toEqual([
      [2, 'generated', null, true],
      [1, 'generated', null, false],
    ])
    const { text, ...removed } = await removeCaptions(owner, { videoId, language: 'en' })
    expect(await versions()).toEqual([
      [2, 'generated', null, false],
      [1, 'generated', null, false],
    ])
    expect(await textOf(2)).toBe(vtt('second'))
    await putCaptions(owner, { videoId, language: 'en', ...removed, text: text ?? '', expected: null })
    expect(await versions()).toEqual([
      [2, 'generated', emailOf(owner), true],
      [1, 'generated', null, false],
    ])
    await upload('other')
    expect((await versions()).map(([number]) => number)).toEqual([3, 2, 1])
    await expectExact()
  })

  it('are kept of what a replaced source takes along', async () => {
    const replace = async (text: string) => {
      await db().caption.deleteMany({ where: { videoId, fromSource: true } })
      await fromFile(text)
    }
    await fromFile('first source')
    await replace('second source')
    await replace('second source')
    expect(await versions()).toEqual([
      [2, 'source', null, true],
      [1, 'source', null, false],
    ])
    expect(await textOf(1)).toBe(vtt('first source'))
    await edit('edited')
    await replace('third source')
    expect((await editor()).text).toBe(vtt('edited'))
  })

  it('are none of a change of the name alone, or of the same text again', async () => {
    await generate('same')
    await putCaptions(owner, { videoId, language: 'en', label: 'Other name', text: vtt('same'), generated: true, edited: false })
    expect((await editor()).captions).toMatchObject({ label: 'Other name' })
    expect(await versions()).toEqual([[1, 'generated', null, true]])
  })

  it('are 20 of a language; the texts of older ones are removed', async () => {
    for (let at = 1; at <= MAX_CAPTION_VERSIONS + 3; at++) await upload(`text ${at}`)
    const found = await versions()
    expect(found).toHaveLength(MAX_CAPTION_VERSIONS)
    expect([found.at(0)?.[0], found.at(-1)?.[0]]).toEqual([23, 4])
    expect(await textOf(4)).toBe(vtt('text 4'))
    await expect(textOf(3)).rejects.toMatchObject({ code: 'CAPTIONS_NOT_FOUND' })
    expect((await stored()).size).toBe(MAX_CAPTION_VERSIONS)
    await expectExact()
  })

  it('share equal texts, however often they are stored', async () => {
    for (let at = 0; at < 6; at++) await upload(at % 2 === 0 ? 'one' : 'other')
    await upload('one', 'de')
    expect((await versions()).length).toBe(6)
    expect((await stored()).size).toBe(2)
    await expectExact()
  })

  it('of removed captions are kept in as many languages as captions can have', async () => {
    const tag = (at: number) => `x-${String(at).padStart(3, '0')}`
    for (let at = 0; at < MAX_CAPTION_LANGUAGES + 2; at++) {
      await db().caption.create({
        data: { videoId, language: tag(at), label: tag(at), name: String(at).padStart(32, '0'), cues: 1, bytes: 1 },
      })
      await db().caption.deleteMany({ where: { videoId } })
    }
    const kept = await db().captionVersion.findMany({ select: { language: true }, orderBy: { language: 'asc' } })
    expect(kept.map(({ language }) => language)).toEqual(Array.from({ length: MAX_CAPTION_LANGUAGES }, (_, at) => tag(at + 2)))
  })
})

describe('a draft', () => {
  it('begins with the captions, or empty; is shared; and is stale once the captions change', async () => {
    expect(await editor()).toEqual({ captions: null, text: 'WEBVTT\n\n', draft: null, versions: [] })
    await upload('published')
    expect(await editor()).toMatchObject({ captions: { label: 'English', cues: 1 }, text: vtt('published'), draft: null })
    const revision = await save('drafted')
    const colleague = await makeMember(owner, 'DEVELOPER')
    const { draft, text, captions } = await editor(colleague)
    expect([draft, text]).toEqual([
      { revision, by: emailOf(owner), at: expect.any(Date), basedOn: captions?.name, isStale: false },
      vtt('drafted'),
    ])
    await upload('published again')
    expect((await editor()).draft).toMatchObject({ revision, isStale: true })
    await removeCaptions(owner, { videoId, language: 'en' })
    expect((await editor()).draft).toMatchObject({ revision, isStale: true })
    expect((await editor()).text).toBe(vtt('drafted'))
    await expectExact()
  })

  it('of two editors is not overwritten by either unseen; who saved it is named', async () => {
    const colleague = await makeMember(owner, 'DEVELOPER')
    await upload('published')
    const conflict = (who: AccountCtx, revision: number) => ({
      code: 'CONFLICT',
      extras: { details: { draft: { revision, by: emailOf(who), at: expect.any(Date) } } },
    })
    const mine = await save('mine')
    await expect(save('theirs', { as: colleague })).rejects.toMatchObject(conflict(owner, mine))
    const theirs = await save('theirs', { as: colleague, revision: mine })
    await expect(save('mine again', { revision: mine })).rejects.toMatchObject(conflict(colleague, theirs))
    await expect(discardDraft(owner, { videoId, language: 'en', revision: mine })).rejects.toMatchObject(conflict(colleague, theirs))
    await expect(publish(mine)).rejects.toMatchObject(conflict(colleague, theirs))
    expect((await editor()).text).toBe(vtt('theirs'))
    const saved = await save('mine again', { revision: theirs })
    expect(await editor()).toMatchObject({ text: vtt('mine again'), draft: { revision: saved, by: emailOf(owner) } })
    await expectExact()
  })

  it('is saved by exactly one of 20 who saw the same revision', async () => {
    let revision = 0
    for (let round = 0; round < 3; round++) {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, at) =>
          saveDraft(owner, { videoId, language: 'en', text: vtt(`${round} ${at}`), revision, basedOn: null }),
        ),
      )
      const won = results.flatMap((one, at) => (one.status === 'fulfilled' ? [{ at, revision: one.value.revision }] : []))
      expect(won).toHaveLength(1)
      for (const one of results) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'CONFLICT' })
      expect(await editor()).toMatchObject({ text: vtt(`${round} ${won[0]?.at}`), draft: { revision: won[0]?.revision } })
      revision = won[0]?.revision ?? 0
    }
    expect((await stored()).size).toBe(1)
    await expectExact()
  })

  it('that was discarded or published cannot be mistaken for the next one', async () => {
    const gone = { code: 'CONFLICT', extras: { details: { draft: null } } }
    const first = await save('first')
    await discardDraft(owner, { videoId, language: 'en', revision: first })
    await discardDraft(owner, { videoId, language: 'en', revision: first })
    await expect(save('late', { revision: first })).rejects.toMatchObject(gone)
    await expect(publish(first)).rejects.toMatchObject(gone)
    const second = await save('second')
    expect(second).toBeGreaterThan(first)
    await expect(save('late', { revision: first })).rejects.toMatchObject({ extras: { details: { draft: { revision: second } } } })
    await publish(second)
    await expect(save('late', { revision: second })).rejects.toMatchObject(gone)
    await expectExact()
  })

  it('keeps one text, however often it is saved, and counts as storage', async () => {
    let revision = 0
    for (let at = 0; at < 5; at++) revision = await save(`text ${at}`, { revision })
    expect(await save('text 4', { revision })).toBe(revision)
    expect((await stored()).size).toBe(1)
    await expectExact()
    const limit = { accountId: owner.accountId, name: 'storageBytes', value: 100n, reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: limit })
    await expect(save('x'.repeat(100), { revision })).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
    await discardDraft(owner, { videoId, language: 'en', revision })
    expect((await stored()).size).toBe(0)
    await expectExact()
  })

  it('is read again if a save has removed its text in the meantime', async () => {
    await upload('published')
    const revision = await save('text')
    const read = storage().read.bind(storage())
    const reading = vi.spyOn(storage(), 'read').mockImplementationOnce(async function* (key) {
      await save('saved meanwhile', { revision })
      yield* read(key)
    })
    expect((await editor()).text).toBe(vtt('saved meanwhile'))
    reading.mockRestore()
  })

  it('begins anew from the captions if a restored backup lacks its text', async () => {
    await upload('published')
    const revision = await save('text')
    const { name } = await db().captionDraft.findFirstOrThrow()
    await storage().delete(extraKey(videoId, name))
    expect(await editor()).toMatchObject({ text: vtt('published'), draft: { revision } })
    expect(await publish(await save('again', { revision }))).toMatchObject({ cues: 1 })
    await expectExact()
  })

  it('begins in as many languages as captions can have', async () => {
    await upload('published')
    const data = Array.from({ length: MAX_CAPTION_LANGUAGES - 1 }, (_, at) => ({
      ...{ videoId, language: `x-${at}`, name: '0'.repeat(32), bytes: 1, changedBy: 'usr_test' },
    }))
    await db().captionDraft.createMany({ data })
    await expect(save('one more', { language: 'de' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await save('of the captions')).toBeGreaterThan(0)
  })

  it('is changed by members who may change videos, and is not theirs to see in another account', async () => {
    const viewer = await makeMember(owner, 'VIEWER')
    const support: AccountCtx = { ...owner, ownerView: { id: 'view', ownerEmail: emailOf(owner), expiresAt: new Date() } }
    const stranger = await makeAccount()
    const revision = await save('drafted')
    const refused = [
      [viewer, 'FORBIDDEN'],
      [support, 'FORBIDDEN'],
      [{ ...owner, suspended: true }, 'ACCOUNT_SUSPENDED'],
      [stranger, 'VIDEO_NOT_FOUND'],
    ] as [AccountCtx, string][]
    for (const [as, code] of refused) {
      const draft = { videoId, language: 'en', revision }
      await expect(saveDraft(as, { ...draft, text: vtt('theirs'), basedOn: null })).rejects.toMatchObject({ code })
      await expect(discardDraft(as, draft)).rejects.toMatchObject({ code })
      await expect(publishDraft(as, { ...draft, expected: null })).rejects.toMatchObject({ code })
    }
    await db().video.update({ where: { id: videoId }, data: { takenDownAt: new Date(), takedownReason: 'A claim' } })
    await expect(save('held', { revision })).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('taken down') })
    for (const as of [viewer, support]) expect((await editor(as)).text).toBe(vtt('drafted'))
    await db().video.update({ where: { id: videoId }, data: { takenDownAt: null } })
    await expect(editor(stranger)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    await expect(captionVersion(stranger, { videoId, language: 'en', number: 1 })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  })
})

describe('publishing', () => {
  it('returns the name of the captions, also of the first', async () => {
    const { name } = await edit('first')
    expect(await editor()).toMatchObject({ captions: { name }, draft: null })
    expect(name).toMatch(/^[0-9a-f]{32}$/)
  })

  it('replaces the captions, records it, keeps what it replaced, and removes the draft', async () => {
    await upload('before')
    const revision = await save('after')
    expect(await publish(revision)).toMatchObject({ language: 'en', label: 'English', cues: 1, replaced: { text: vtt('before') } })
    expect(await editor()).toMatchObject({ text: vtt('after'), draft: null, captions: { edited: true, generated: false } })
    expect(await textOf(1)).toBe(vtt('before'))
    expect(await db().auditEntry.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({
      ...{ action: 'video.captions', subject: videoId, actorEmail: emailOf(owner) },
      before: { language: 'en', label: 'English', cues: 1 },
      after: { language: 'en', label: 'English', cues: 1 },
    })
    await publish(await save('renamed'), { label: 'English (UK)' })
    await edit('again')
    expect((await editor()).captions).toMatchObject({ label: 'English (UK)' })
    await expectExact()
  })

  it('of a draft without captions changes nothing', async () => {
    const { revision } = await saveDraft(owner, { videoId, language: 'en', text: 'WEBVTT\n\n', revision: 0, basedOn: null })
    await expect(publish(revision)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect((await editor()).draft).toMatchObject({ revision })
  })

  it('and an upload at the same time: one of them is told', async () => {
    for (let round = 0; round < 5; round++) {
      await upload(`round ${round}`)
      const { captions: expected } = await editor()
      const revision = await save(`drafted ${round}`)
      const [published, uploaded] = await Promise.allSettled([
        publishDraft(owner, { videoId, language: 'en', revision, expected }),
        putCaptions(owner, { videoId, language: 'en', label: '', text: vtt(`uploaded ${round}`), expected }),
      ])
      expect([published.status, uploaded.status].sort()).toEqual(['fulfilled', 'rejected'])
      const lost = published.status === 'rejected' ? published : (uploaded as PromiseRejectedResult)
      expect(lost.reason).toMatchObject({ code: 'CONFLICT', extras: { details: { captions: { language: 'en' } } } })
      const { text, draft } = await editor()
      if (published.status === 'rejected') {
        expect([text, draft?.isStale]).toEqual([vtt(`drafted ${round}`), true])
        await discardDraft(owner, { videoId, language: 'en', revision })
      } else expect([text, draft]).toEqual([vtt(`drafted ${round}`), null])
    }
    await expectExact()
  })

  it('marks generated captions as edited, so that they are not generated again without asking', async () => {
    await generate('heard')
    await edit('corrected')
    expect(await marks()).toEqual({ generated: true, edited: true, fromSource: false })
    expect(await generate('heard again')).toBe('edited')
    expect((await editor()).text).toBe(vtt('corrected'))
    expect(await generate('heard again', true)).toBe('stored')
    expect(await marks()).toMatchObject({ generated: true, edited: false })
    expect(await textOf(2)).toBe(vtt('corrected'))
  })

  it('gives a restored text the marks that it had', async () => {
    const restore = async (number: number) => {
      const { text } = await captionVersion(owner, { videoId, language: 'en', number })
      const { captions } = await editor()
      const { revision } = await saveDraft(owner, { videoId, language: 'en', text, revision: 0, basedOn: captions?.name ?? null })
      await publish(revision)
    }
    await fromFile('source')
    await upload('uploaded')
    await removeCaptions(owner, { videoId, language: 'en' })
    await generate('heard')
    await edit('corrected')
    await restore(3)
    expect(await marks()).toEqual({ generated: true, edited: false, fromSource: false })
    expect(await db().$transaction((tx) => mayGenerate(tx, { videoId, language: 'en', replacesEdited: false }))).toBe('stored')
    await restore(4)
    expect(await marks()).toEqual({ generated: true, edited: true, fromSource: false })
    await restore(2)
    expect(await marks()).toEqual({ generated: false, edited: false, fromSource: false })
    // A replaced source must not take along what a person chose.
    await restore(1)
    expect(await marks()).toEqual({ generated: false, edited: false, fromSource: false })
    expect((await versions()).map(([number, kind]) => [number, kind])).toEqual([
      [8, 'uploaded'],
      [7, 'uploaded'],
      [6, 'edited'],
      [5, 'generated'],
      [4, 'edited'],
      [3, 'generated'],
      [2, 'uploaded'],
      [1, 'source'],
    ])
    await expectExact()
  })
})

it('other editors hear of a saved, published and discarded draft', async () => {
  const end = new AbortController()
  const events = watchVideos(owner, end.signal)
  await events.next()
  const heard = async (change: Promise<unknown>) => {
    const next = events.next()
    await change
    expect((await next).value).toMatchObject({ type: 'changed', videos: [{ id: videoId }] })
  }
  await heard(save('drafted'))
  const { draft } = await editor()
  // As many bytes as before.
  await heard(save('dreamed', { revision: draft?.revision ?? 0 }))
  await heard(publish((await editor()).draft?.revision ?? 0))
  const revision = await save('again')
  await heard(discardDraft(owner, { videoId, language: 'en', revision }))
  end.abort()
})

it('a purged video leaves no text, row or counted byte', async () => {
  await upload('one')
  await upload('other')
  await save('drafted')
  await save('drafted', { language: 'de' })
  expect((await stored()).size).toBe(3)
  await db().$executeRaw`UPDATE video SET deleted_at = service_now() - interval '8 days'`
  await expect(editor()).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  await purgeVideos()
  await removeMedia(videoId)
  expect((await stored()).size).toBe(0)
  expect([await db().captionVersion.count(), await db().captionDraft.count()]).toEqual([0, 0])
  expect((await storageOf(owner.accountId)).renditionBytes).toBe(0)
})
