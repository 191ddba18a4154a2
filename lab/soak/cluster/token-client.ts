import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CreatedKey } from '../../../server/modules/access/keys/create-key.ts'
import type { Outcomes } from './outcomes.ts'

/** Milliseconds before a request is repeated. */
const RETRY_MS = 250

/** An API key and what its clients saw of its quota. */
export class TokenClient {
  readonly key: CreatedKey
  readonly quota: number
  /** Tokens that clients received. */
  issued = 0
  /** Requests that the quota refused. */
  refused = 0
  /** Requests without a response that says whether a token was issued. */
  unknown = 0
  private readonly outcomes: Outcomes

  constructor(outcomes: Outcomes, key: CreatedKey, quota: number) {
    this.outcomes = outcomes
    this.key = key
    this.quota = quota
  }

  get headers(): { 'x-service-key': string } {
    return { 'x-service-key': this.key.value }
  }

  /** Requests a token once; returns it, or undefined. */
  async issue(videoId: string): Promise<string | undefined> {
    const { status, body } = await this.send(videoId)
    if (status === 200) this.issued++
    else if (status === 429) this.refused++
    else this.unknown++
    return status === 200 ? tokenOf(body) : undefined
  }

  /** Requests a token until it is issued, as a client that must have exactly one: each request has the same Idempotency-Key. */
  async issueOnce(videoId: string, over: () => boolean): Promise<void> {
    const headers = { 'Idempotency-Key': randomUUID() }
    for (;;) {
      const { status } = await this.send(videoId, headers)
      if (status === 200) {
        this.issued++
        return
      }
      if (over()) {
        this.unknown++
        return
      }
      await wait(RETRY_MS)
    }
  }

  private send(videoId: string, headers: Record<string, string> = {}) {
    const path = `/v1/video/${videoId}/playback-token`
    return this.outcomes.ask('token', path, { method: 'POST', headers: { ...this.headers, ...headers }, expected: [429] })
  }
}

const tokenOf = (body: Buffer) => (JSON.parse(body.toString()) as { data: { token: string } }).data.token
