import { type AccountCtx, type AccountId, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, query, type Tx, vital } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts'
import { asService } from '../../../platform/turns/caller.ts'
import { record } from '../../audit/record.ts'
import { keyReference, keyReferenceOf, linkTermsOf } from '../tokens/token.ts'

/** State at the exchange that opened a session. Part of its permit. */
export interface SessionOpening {
  /** Number of the last end that the process knew. */
  number: number
  /** `jti` of the token that was exchanged; undefined for a session opened without one. */
  tokenId?: string
  /** The sealed policy of its token (`sealPolicy`), if that restricts the session. */
  policy?: string
}

/**
 * The ends of playback, in memory. Ends are numbered in the order in which they commit, and a session carries the number of the last end
 * before it: it is over once its video, its key or its token has an end with a greater number. While change notices are unreliable, nothing
 * is cached and each check queries the database.
 */
export class Ends {
  private readonly numbers = new Map<string, number>()
  private last = 0
  private loaded = false
  private loading: Promise<void> | undefined
  /** How often notices were lost. Values read before a loss are not kept after it. */
  private losses = 0

  constructor() {
    notifications().onLost(() => {
      this.losses++
      this.loaded = false
      this.loading = undefined
      this.numbers.clear()
      this.last = 0
    })
    notifications().on('playback', (payload) => {
      const cut = payload.indexOf(' ')
      this.note(payload.slice(cut + 1), Number(payload.slice(0, cut)))
    })
  }

  lastNumber(): MaybePromise<number> {
    return this.read(() => this.last, lastStored)
  }

  /** Returns the greatest number that one of the subjects was ended with, or 0. */
  greatest(subjects: readonly string[]): MaybePromise<number> {
    return this.read(
      () => subjects.reduce((most, subject) => Math.max(most, this.numbers.get(subject) ?? 0), 0),
      () => greatestStored(subjects),
    )
  }

  private read(held: () => number, stored: () => Promise<number>): MaybePromise<number> {
    if (!notifications().live) return stored()
    if (this.loaded) return held()
    this.loading ??= asService(() => this.load(this.losses)).finally(() => {
      this.loading = undefined
    })
    return this.loading.then(() => (this.loaded && notifications().live ? held() : stored()))
  }

  /** Merges with notices received in the meantime: numbers only increase. */
  private async load(losses: number): Promise<void> {
    const [row] = await query<{ last: number | null; ends: Record<string, number> | null }>(
      'playback-ends',
      'SELECT (SELECT last_playback_end FROM installation)::float8 AS last, (SELECT json_object_agg(subject, number) FROM playback_end) AS ends',
      [],
      vital(),
    )
    if (losses !== this.losses) return
    for (const [subject, number] of Object.entries(row?.ends ?? {})) this.note(subject, number)
    this.last = Math.max(this.last, row?.last ?? 0)
    this.loaded = true
  }

  private note(subject: string, number: number): void {
    if (number === 0) this.numbers.delete(subject)
    else this.numbers.set(subject, Math.max(number, this.numbers.get(subject) ?? 0))
    this.last = Math.max(this.last, number)
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    playbackEnds: Ends
  }
}

const ends = () => services().playbackEnds

async function lastStored(): Promise<number> {
  const [row] = await query<{ number: number }>(
    'playback-end-last',
    'SELECT last_playback_end::float8 AS number FROM installation',
    [],
    vital(),
  )
  return row?.number ?? 0
}

async function greatestStored(subjects: readonly string[]): Promise<number> {
  const text = 'SELECT COALESCE(max(number), 0)::float8 AS number FROM playback_end WHERE subject = ANY ($1::text[])'
  const [row] = await query<{ number: number }>('playback-end-of', text, [subjects], vital())
  return row?.number ?? 0
}

/** Returns the number that a session opened now carries. Reads memory, unless change notices are off. */
export const lastEnd = (): MaybePromise<number> => ends().lastNumber()

/**
 * Returns whether a session of the video was ended after it opened, or its share link has expired. Reads memory, unless change notices are
 * off.
 */
export function isEnded(videoId: string, { number, tokenId }: SessionOpening): MaybePromise<boolean> {
  const link = tokenId && linkTermsOf(tokenId)
  if (link && link.expiresAt * 1_000 <= serviceNow()) return true
  const reference = tokenId && keyReferenceOf(tokenId)
  const subjects = [`video:${videoId}`, ...(tokenId ? [`token:${tokenId}`] : []), ...(reference ? [`key:${reference}`] : [])]
  return andThen(ends().greatest(subjects), (greatest) => greatest > number)
}

/** Returns the refusal of a session that was ended after it opened. */
export const sessionEnded = () =>
  new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
    message: 'This playback session has been ended. Exchange a new playback token to start another one.',
    details: { reason: 'PLAYBACK_ENDED' },
  })

/** Deletes ends of playback that precede every valid session. Runs with the job `session.sweep`. */
export async function pruneEnds(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('playback_end', 'expires_at <= service_now()', [], signal)
}

/** What an end of playback covers: all sessions of a video, of all tokens that an API key issued, or of one token (its `jti`). */
type EndSubject = { videoId: string } | { keyId: string } | { tokenId: string }
/** What the service itself may also end: all sessions of a share link, or of any number of tokens. */
type Subject = Exclude<EndSubject, { tokenId: string }> | { linkId: string } | { tokenIds: readonly string[] }

const subjectsOf = (what: Subject): string[] => {
  if ('videoId' in what) return [`video:${what.videoId}`]
  return 'tokenIds' in what ? what.tokenIds.map((tokenId) => `token:${tokenId}`) : [`key:${issuerOf(what)}`]
}

/** Tokens name their issuer, a key or a link, in the same way. */
const issuerOf = (what: { keyId: string } | { linkId: string }) => keyReference('keyId' in what ? what.keyId : what.linkId)

/** Minimum retention of an end in seconds. No session is renewed for longer. */
const LEAST_SEC = 7 * 86_400

/**
 * Ends playback within the caller's transaction: when it commits, every process refuses every session opened before. Checks neither
 * permission nor ownership and writes no audit row; `endPlayback` does. Returns the number of the end, which is a new one even without
 * tokens. Ends are serialized until their transactions end, so call it late in a transaction and after its other locks.
 */
export async function addEnd(tx: Tx, accountId: AccountId, what: Subject): Promise<bigint> {
  const [next] = await tx.$queryRaw<[{ number: bigint }]>`
    WITH next AS (UPDATE installation SET last_playback_end = last_playback_end + 1 RETURNING last_playback_end AS number),
    added AS (
      INSERT INTO playback_end AS held (subject, account_id, number, expires_at)
      SELECT subject, ${accountId}, next.number, service_now() + make_interval(secs => GREATEST(${LEAST_SEC}::float8,
        (SELECT 2 * max(duration_sec) FROM video WHERE account_id = ${accountId})))
      FROM next, unnest(${subjectsOf(what)}::text[]) AS subject
      ON CONFLICT (subject) DO UPDATE SET number = EXCLUDED.number, ended_at = EXCLUDED.ended_at, expires_at = EXCLUDED.expires_at)
    SELECT number FROM next`
  await deleteLiveSessions(tx, accountId, what)
  return next.number
}

/** Ended sessions are not viewers. Their IDs are `<number>-<jti>`, and a `jti` ends with the reference of its key. */
async function deleteLiveSessions(tx: Tx, accountId: AccountId, what: Subject): Promise<void> {
  if ('videoId' in what) await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND video_id = ${what.videoId}`
  else if ('tokenIds' in what)
    await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND split_part(id, '-', 2) = ANY (${what.tokenIds})`
  else await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND right(id, 17) = ${`_${issuerOf(what)}`}`
}

/**
 * Ends every open playback session of a video, of an API key's tokens or of one token. Once this resolves, playlists, key URLs and renewals
 * are refused everywhere, in this process at once and in others by a notice. Tokens stay valid as in specification §5.7: an unexpired one
 * can still be exchanged for a new session. Errors: FORBIDDEN, VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function endPlayback(ctx: AccountCtx, what: EndSubject): Promise<void> {
  requirePermission(ctx, 'keyId' in what ? 'keys.change' : 'videos.change')
  await db().$transaction(async (tx) => {
    await requireOwned(tx, ctx, what)
    const [subject = ''] = Object.values(what)
    await record(tx, ctx, { action: 'playback.end', subject })
    await addEnd(tx, ctx.accountId, 'tokenId' in what ? { tokenIds: [what.tokenId] } : what)
  })
  await notifications().caughtUp()
}

/**
 * Checks ownership. Accepts a key in any state, since revoking a key ends no session. Finds a token among the account's sessions and in its
 * request log, which is a sample.
 */
async function requireOwned(tx: Tx, { accountId }: AccountCtx, what: EndSubject): Promise<void> {
  if ('videoId' in what) {
    if (await tx.video.count({ where: { id: what.videoId, accountId, deletedAt: null } })) return
    throw new ServiceError('VIDEO_NOT_FOUND')
  }
  if ('keyId' in what) {
    if (await tx.apiKey.count({ where: { id: what.keyId, accountId } })) return
    throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  }
  const [session] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM live_session WHERE account_id = ${accountId} AND split_part(id, '-', 2) = ${what.tokenId} LIMIT 1`
  if (session) return
  if (await tx.loggedRequest.count({ where: { tokenId: what.tokenId, accountId } })) return
  throw new ServiceError('NOT_FOUND', {
    message: 'Your account has no open session with this token, and no request in its log used it.',
  })
}
