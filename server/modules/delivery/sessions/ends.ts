import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts'
import { asService } from '../../../platform/turns/caller.ts'
import { keyReferenceOf, linkTermsOf } from '../tokens/token-id.ts'

/** State at the exchange that opened a session; part of its permit. */
export interface SessionOpening {
  /** Number of the last end known to the process. */
  number: number
  /** `jti` of the token; undefined for a session opened by a version without ends. */
  tokenId?: string
}

/**
 * The ends of playback, in memory. Ends are numbered in the order in which they commit, and a session carries the number of the
 * last end before it: it is over once its video, its key or its token has an end with a greater number. While change notifications
 * are unreliable, nothing is cached and each check queries the database.
 */
export class Ends {
  private readonly numbers = new Map<string, number>()
  private last = 0
  private loaded = false
  private loading: Promise<void> | undefined
  /** Number of losses of notifications: values read before a loss are not kept after it. */
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

  /** Returns the greatest number with which one of the subjects was ended; 0 for none. */
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

  /** Merges with notifications received meanwhile: numbers only increase. */
  private async load(losses: number): Promise<void> {
    const [row] = await query<{ last: number | null; ends: Record<string, number> | null }>(
      'playback-ends',
      'SELECT (SELECT number FROM playback_end_last)::float8 AS last, (SELECT json_object_agg(subject, number) FROM playback_end) AS ends',
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
  const [row] = await query<{ number: number }>('playback-end-last', 'SELECT number::float8 AS number FROM playback_end_last', [], vital())
  return row?.number ?? 0
}

async function greatestStored(subjects: readonly string[]): Promise<number> {
  const text = 'SELECT COALESCE(max(number), 0)::float8 AS number FROM playback_end WHERE subject = ANY ($1::text[])'
  const [row] = await query<{ number: number }>('playback-end-of', text, [subjects], vital())
  return row?.number ?? 0
}

/** Returns the number that a session opened now carries. Reads memory, unless change notifications are off. */
export const lastEnd = (): MaybePromise<number> => ends().lastNumber()

/**
 * Returns whether a session of the video was ended after it was opened, or its share link has expired. Reads memory, unless change
 * notifications are off.
 */
export function isEnded(videoId: string, { number, tokenId }: SessionOpening): MaybePromise<boolean> {
  const link = tokenId && linkTermsOf(tokenId)
  if (link && link.expiresAt * 1_000 <= serviceNow()) return true
  const reference = tokenId && keyReferenceOf(tokenId)
  const subjects = [`video:${videoId}`, ...(tokenId ? [`token:${tokenId}`] : []), ...(reference ? [`key:${reference}`] : [])]
  return andThen(ends().greatest(subjects), (greatest) => greatest > number)
}

/** Deletes ends of playback that precede every session still valid. Runs with the job `session.sweep`. */
export async function pruneEnds(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('playback_end', 'expires_at <= service_now()', [], signal)
}
