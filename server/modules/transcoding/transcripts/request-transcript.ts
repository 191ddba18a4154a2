import type { AccountId } from '../../../context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { speechEngine } from '../../../platform/speech/make-engine.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import { accountLimit } from '../../identity/accounts/limit.ts'
import { THIS_MONTH } from '../../identity/accounts/transcribed-minutes.ts'
import { baseOf, englishName, mayGenerate } from '../../videos/captions/captions.ts'
import { failTranscript, refusal, type TranscriptFailure } from './end-transcript.ts'
import { announceTranscript } from './transcript-lease.ts'

/** The language of a request that leaves it to what is spoken. */
export const AUTO = 'auto'

interface Request {
  accountId: AccountId
  videoId: string
  /** BCP 47, or `auto`. */
  wanted: string
  /** Whether captions that a person edited may be replaced. */
  replaces: boolean
}

/**
 * Queues a transcript of a video, anew if it has ended. One that is waiting or running stays. `tx` holds the video.
 */
export async function queueTranscript(tx: Tx, { accountId, videoId, wanted, replaces }: Request): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO transcript AS t (video_id, wanted, account_id, replaces, duration_sec)
    SELECT id, ${wanted}, account_id, ${replaces}, duration_sec FROM video WHERE id = ${videoId} AND account_id = ${accountId}
    ON CONFLICT (video_id, wanted) DO UPDATE SET state = 'open', reason = NULL, replaces = EXCLUDED.replaces, duration_sec = EXCLUDED.duration_sec,
      speech_sec = NULL, done_sec = 0, position = 0, queued_at = service_now(), begun_at = NULL, ended_at = NULL, due_at = service_now(),
      lease_id = NULL, leased_until = NULL, worker = NULL, started_at = NULL, failures = 0, losses = 0, storage_faults = 0, cause = NULL
    WHERE t.state <> 'open'`
  await announceTranscript(tx, { accountId, videoId })
}

/** Lets an open request replace captions that a person has edited until now. `tx` holds the video. */
export async function allowReplacing(tx: Tx, { videoId, wanted }: Pick<Request, 'videoId' | 'wanted'>): Promise<void> {
  await tx.$executeRaw`
    UPDATE transcript SET replaces = true, queued_at = service_now()
    WHERE video_id = ${videoId} AND wanted = ${wanted} AND state = 'open' AND NOT replaces`
}

/** Queues a transcript of a video that is COMPLETED now, if its upload or its account asks for captions. `tx` holds the video. */
export async function queueAutoCaptions(tx: Tx, { accountId, videoId }: { accountId: string; videoId: string }): Promise<void> {
  if ('off' in speechChoice()) return
  const [video] = await tx.$queryRaw<{ wanted: string }[]>`
    SELECT COALESCE(v.caption_language, ${AUTO}) AS wanted FROM video v JOIN account a ON a.id = v.account_id
    WHERE v.id = ${videoId} AND v.account_id = ${accountId} AND COALESCE(v.auto_captions, a.auto_captions)`
  if (!video) return
  const request = { accountId: accountId as AccountId, videoId, wanted: video.wanted, replaces: false }
  await queueTranscript(tx, request)
  const failure = await refusalOf(tx, request)
  if (failure) await failTranscript(tx, request, failure)
}

/** Returns why a request that is queued cannot give captions, if that is known beforehand. */
async function refusalOf(tx: Tx, { accountId, videoId, wanted }: Request): Promise<TranscriptFailure | undefined> {
  const notUnderstood = languageRefusal(wanted)
  if (notUnderstood) return { code: 'FAILED', reason: notUnderstood }
  // The file may have come with captions in this language.
  const outcome = wanted === AUTO ? 'stored' : await mayGenerate(tx, { videoId, language: wanted, replacesEdited: false })
  if (outcome !== 'stored') return { code: 'CAPTIONS_EXIST', reason: refusal(outcome, wanted) }
  const { used, limit } = await transcribedMinutes(tx, accountId)
  return used > limit ? { code: 'LIMIT_REACHED', reason: limitReason(limit) } : undefined
}

/** A longer list of languages is not named. */
const NAMED_LANGUAGES = 5

/** Returns why the engine cannot transcribe speech in a language, as a sentence. Undefined if it can, or nobody knows. */
export function languageRefusal(wanted: string): string | undefined {
  const { languages } = speechEngine() ?? {}
  if (wanted === AUTO || !languages || languages.includes(baseOf(wanted) ?? '')) return undefined
  const understood = languages.length > NAMED_LANGUAGES ? '' : `, only ${languages.map(englishName).join(', ')}`
  return `The speech-to-text engine of this installation does not understand ${englishName(wanted)}${understood}.`
}

/**
 * After a change of the source: removes generated captions that nobody edited, with the words of the former source, and queues what was
 * requested anew. `tx` holds the video.
 */
export async function requeueTranscripts(tx: Tx, videoId: string): Promise<void> {
  const stale = await tx.caption.findMany({ where: { videoId, generated: true, edited: false }, select: { language: true } })
  await tx.caption.deleteMany({ where: { videoId, generated: true, edited: false } })
  const languages = stale.map(({ language }) => language)
  const requests = await tx.transcript.findMany({ where: { videoId, OR: [{ state: 'open' }, { language: { in: languages } }] } })
  await tx.transcript.deleteMany({ where: { videoId } })
  if ('off' in speechChoice()) return
  for (const { accountId, wanted, replaces } of requests)
    await queueTranscript(tx, { accountId: accountId as AccountId, videoId, wanted, replaces })
}

export const limitReason = (limit: number): string =>
  `This account has reached its limit of ${limit} transcribed minutes per month. It resets on the 1st, UTC.`

/**
 * Returns how many minutes an account has had transcribed in this UTC month, with those that are still to be transcribed, and how many it
 * may. Serializes concurrent requests of the account.
 */
export async function transcribedMinutes(tx: Tx, accountId: AccountId): Promise<{ used: number; limit: number }> {
  await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtext('transcript'), hashtext(${accountId}))`
  const [row] = await tx.$queryRawUnsafe<{ seconds: number }[]>(USED, accountId)
  return { used: Math.ceil((row?.seconds ?? 0) / 60), limit: await accountLimit(accountId, 'transcribedMinutes', tx) }
}

/** SQL: seconds of account $1 that are transcribed this month, and of its open requests. */
const USED = `
  SELECT (SELECT COALESCE(sum(seconds), 0) FROM transcribed_day WHERE account_id = $1 AND day >= ${THIS_MONTH})
    + (SELECT COALESCE(sum(COALESCE(speech_sec, duration_sec) - done_sec), 0) FROM transcript WHERE account_id = $1 AND state = 'open') AS seconds`
