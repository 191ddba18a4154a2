import { setTimeout as wait } from 'node:timers/promises'
import type { Customer } from './account.ts'
import type { Outcomes } from './outcomes.ts'
import type { TokenClient } from './token-client.ts'
import { type AcknowledgedUpload, uploadOnce } from './uploader.ts'
import { playOnce } from './viewer.ts'

/** Refusals after which the backends use the next key. */
const REFUSALS = 10
/** Every this many viewings, what was received is decoded. */
const DECODED = 40

/** Clients of each kind and the milliseconds that each waits between two of its requests or journeys. */
const CLIENTS = {
  readers: { count: 2, pauseMs: 50 },
  backends: { count: 3, pauseMs: 60 },
  careful: { count: 1, pauseMs: 100 },
  viewers: { count: 2, pauseMs: 200 },
  uploaders: { count: 1, pauseMs: 5_000 },
}

/** Viewers, backends and members of one customer, who send requests until `stop`. */
export class Load {
  readonly outcomes: Outcomes
  readonly customer: Customer
  readonly uploads: AcknowledgedUpload[] = []
  private readonly clip: Buffer
  private readonly videoId: string
  private readonly ending = new AbortController()
  private loops: Promise<void>[] = []
  private viewings = 0

  /** @param videoId The video that is played. @param clip The file that is uploaded. */
  constructor(outcomes: Outcomes, customer: Customer, videoId: string, clip: Buffer) {
    this.outcomes = outcomes
    this.customer = customer
    this.videoId = videoId
    this.clip = clip
  }

  start(): void {
    const { careful, viewing, cookie } = this.customer
    this.loops = [
      ...this.loop('readers', (turn) => this.read(turn)),
      ...this.loop('backends', () => this.current().issue(this.videoId)),
      ...this.loop('careful', () => careful.issueOnce(this.videoId, this.over)),
      ...this.loop('viewers', () => playOnce(this.outcomes, viewing, this.videoId, { decode: this.viewings++ % DECODED === 0 })),
      ...this.loop('uploaders', async () => {
        const upload = await uploadOnce(this.outcomes, cookie, this.clip, this.over)
        if (upload) this.uploads.push(upload)
      }),
    ]
  }

  /** Resolves when the last request has ended. */
  async stop(): Promise<void> {
    this.ending.abort()
    await Promise.all(this.loops)
  }

  private readonly over = () => this.ending.signal.aborted

  /** Returns the key whose quota is being used up. */
  private current(): TokenClient {
    const { limited } = this.customer
    return limited.find(({ refused }) => refused < REFUSALS) ?? (limited.at(-1) as TokenClient)
  }

  private read(turn: number) {
    const { headers } = this.customer.viewing
    return turn % 4 === 0
      ? this.outcomes.ask('list', '/v1/video?limit=20', { headers })
      : this.outcomes.ask('video', `/v1/video/${this.videoId}`, { headers })
  }

  private loop(kind: keyof typeof CLIENTS, act: (turn: number) => Promise<unknown>): Promise<void>[] {
    const { count, pauseMs } = CLIENTS[kind]
    return Array.from({ length: count }, async () => {
      for (let turn = 0; !this.over(); turn++) {
        await act(turn)
        await wait(pauseMs, undefined, { signal: this.ending.signal }).catch(() => {})
      }
    })
  }
}
