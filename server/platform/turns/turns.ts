import type { MaybePromise } from '../maybe-promise.ts'
import { counter } from '../observe/metrics.ts'
import { noteRefusal, SERVICE, type Subject } from './caller.ts'

interface Bounds {
  /** Shown in metrics and in the request log. */
  name: (typeof NAMES)[number]
  /** How many turns run at once in this process. */
  places: number
  /** Most places of one group while another group is waiting. */
  share: number
  /** Most places of one group while no other is waiting. Defaults to its share. The rest is free for a newcomer at once. */
  alone?: number
  /** Most waiting turns of one group. A member with none waiting can go beyond it, up to twice as many. */
  queue: number
  /** Most waiting turns in all. A group with none waiting can go beyond it. */
  waiting?: number
  /** Most milliseconds that a turn waits. If unset, until its caller leaves. */
  waitMs?: number
  /** `Retry-After` of a refusal, in seconds. */
  retryAfter: number
}

const NAMES = [
  'connections',
  'vital-connections',
  'requests',
  'changes',
  'bodies',
  'tokens',
  'media',
  'pages',
  'long-answers',
  'processor',
  'hashing',
  'pictures',
  'thumbnails',
  'segments',
  'parts',
  'lists',
] as const

export const turnRefusals = counter('reelgate_refused_turns_total', 'Work refused because its queue was full, by queue.', {
  queue: NAMES,
  because: ['own', 'all'],
})

/**
 * Refusal of a full queue. `server/errors.ts` maps it to 429 if the caller's own group fills the queue, otherwise to 503, with
 * `Retry-After`.
 */
export class TurnRefused extends Error {
  /** Read instead of `instanceof`: two module graphs hold two copies of the class. */
  readonly code = 'TURN_REFUSED'
  readonly queue: string
  /** Whether the caller's own group fills the queue. */
  readonly isOwn: boolean
  /** Seconds after which a place is likely to be free. */
  readonly retryAfter: number

  constructor({ name, retryAfter }: Pick<Bounds, 'name' | 'retryAfter'>, isOwn: boolean) {
    super(`too much work is waiting: ${name}`)
    this.name = 'TurnRefused'
    this.queue = name
    this.isOwn = isOwn
    this.retryAfter = retryAfter
  }
}

/** A place that is held. */
export interface Turn {
  /** Returns the place. For `pauseMs` more, the group's share stays smaller by it, which slows down a group that fills a queue. */
  end(pauseMs?: number): void
}

interface Group {
  name: string
  running: number
  waiting: number
  /** Those who wait, by member. */
  lines: Map<string, (() => void)[]>
}

/**
 * Milliseconds before a group learns that its own queue is full. A client that repeats at once, over hundreds of connections, would
 * otherwise keep the event loop busy with refusals.
 */
const REFUSED_AFTER_MS = 500

/** Throws at once if nothing can wait (a queue of 0), and for what the group cannot help. */
function refuseLate(refusal: TurnRefused, queue: number): Promise<never> {
  if (!refusal.isOwn || queue === 0) throw refusal
  return new Promise((_, reject) => setTimeout(reject, REFUSED_AFTER_MS, refusal))
}

/**
 * Shares one bounded thing (connections, processor time, long responses) among those who want it: groups take turns, and so do the members
 * of each group. While others wait, a group has at most its share, and a short queue. The one mechanism for everything that callers share.
 */
export class Turns {
  readonly bounds: Bounds
  private readonly groups = new Map<string, Group>()
  private running = 0
  private waiting = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Runs `work` in its turn. Errors: `TurnRefused` if the queue is full; the reason of `signal` if it aborts before the turn. */
  async run<Result>(subject: Subject, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const turn = await this.take(subject, signal)
    try {
      return await work()
    } finally {
      turn.end()
    }
  }

  /** Takes a place, at once if one is free for the group. The caller must end the turn. Throws or rejects with the errors of `run`. */
  take([name, member]: Subject, signal?: AbortSignal): MaybePromise<Turn> {
    signal?.throwIfAborted()
    const { queue, waiting = Number.POSITIVE_INFINITY } = this.bounds
    const group = this.groups.get(name) ?? { name, running: 0, waiting: 0, lines: new Map() }
    if (this.running < this.bounds.places && group.running < this.most(group)) return this.begin(group)
    // Without a queue, a newcomer is also refused if the others hold all places.
    if (group.waiting >= (group.lines.has(member) ? queue : 2 * queue))
      return refuseLate(this.refusal(queue > 0 || group.running >= this.most(group)), queue)
    if (this.waiting >= waiting && group.waiting > 0) throw this.refusal(false)
    return this.wait(group, member, signal)
  }

  /** Returns how many turns are running and waiting, for one group or in all. */
  load(name?: string): { running: number; waiting: number } {
    if (name === undefined) return { running: this.running, waiting: this.waiting }
    const { running, waiting } = this.groups.get(name) ?? { running: 0, waiting: 0 }
    return { running, waiting }
  }

  /** Most places that the group can hold now. The service's own work has no share, and callers have a place besides it. */
  private most(group: Group): number {
    const { places, share, alone = share } = this.bounds
    if (group.name === SERVICE[0]) return Math.max(1, places - 1)
    return this.waiting > group.waiting ? share : alone
  }

  private begin(group: Group): Turn {
    this.groups.set(group.name, group)
    group.running++
    this.running++
    let ended = false
    return {
      end: (pauseMs = 0) => {
        if (ended) return
        ended = true
        this.running--
        if (pauseMs > 0) setTimeout(() => this.leave(group), pauseMs)
        else this.leave(group)
        this.admit()
      },
    }
  }

  private leave(group: Group): void {
    group.running--
    this.forget(group)
    this.admit()
  }

  private wait(group: Group, member: string, signal?: AbortSignal): Promise<Turn> {
    this.groups.set(group.name, group)
    const line = group.lines.get(member) ?? []
    group.lines.set(member, line)
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        if (line.length === 0) group.lines.delete(member)
        group.waiting--
        this.waiting--
      }
      const enter = () => {
        settle()
        resolve(this.begin(group))
      }
      const giveUp = (why: unknown) => {
        line.splice(line.indexOf(enter), 1)
        settle()
        this.forget(group)
        // A group without rivals may hold more places.
        this.admit()
        reject(why)
      }
      const onAbort = () => giveUp(signal?.reason)
      const { waitMs } = this.bounds
      const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(this.refusal(group.running >= this.most(group))), waitMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      line.push(enter)
      group.waiting++
      this.waiting++
    })
  }

  /** Gives free places to those who are waiting. */
  private admit(): void {
    while (this.waiting > 0 && this.running < this.bounds.places) {
      const enter = this.next()
      if (!enter) return
      enter()
    }
  }

  /** Takes the next waiting member out of the line: of the group whose turn it is, the member whose turn it is. */
  private next(): (() => void) | undefined {
    for (const group of this.groups.values()) {
      if (group.waiting === 0 || group.running >= this.most(group)) continue
      moveToEnd(this.groups, group.name, group)
      for (const [member, line] of group.lines) {
        moveToEnd(group.lines, member, line)
        return line.shift()
      }
    }
  }

  private forget(group: Group): void {
    if (group.running === 0 && group.waiting === 0) this.groups.delete(group.name)
  }

  private refusal(isOwn: boolean): TurnRefused {
    turnRefusals.add({ queue: this.bounds.name, because: isOwn ? 'own' : 'all' })
    noteRefusal(this.bounds.name)
    return new TurnRefused(this.bounds, isOwn)
  }
}

function moveToEnd<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
}
