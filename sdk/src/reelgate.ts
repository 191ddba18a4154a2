import { asError } from './error.js'
import { type Client, createClient, createConfig } from './generated/client/index.js'
import * as operations from './generated/sdk.gen.js'
import type {
  Balance,
  Event,
  GetUsageData,
  ListEventsData,
  ListVideosData,
  PlaybackManifest,
  PlaybackToken,
  Usage,
  Video,
} from './generated/types.gen.js'

export interface ReelgateOptions {
  /** Where the service is, e.g. `https://video.example.com`. */
  baseUrl: string
  /** An API key; needed for everything but `getPlaybackManifest` and `getDescription`. Keep it on your server. */
  apiKey?: string
  /** A `fetch` of your own, e.g. with a proxy or a timeout. */
  fetch?: typeof fetch
}

/** The key's daily quota of playback tokens as it stands after a call. */
export interface RateLimit {
  limit: number
  remaining: number
  /** The next UTC midnight. */
  resetAt: Date
}

export interface VideoPage {
  videos: Video[]
  /** For the next page; null on the last. */
  nextCursor: string | null
}

export interface EventPage {
  events: Event[]
  /** For the next call. */
  nextCursor: string
  hasMore: boolean
}

interface Outcome<Body> {
  data?: Body
  error?: unknown
  response?: Response
}

/** `Reelgate` does not compile while an operation of the description has no method of its name. */
type Operations = Record<keyof typeof operations, unknown>

/** The API, one method an operation. They answer `data` itself and throw `ReelgateError` when the service refuses. */
export class Reelgate implements Operations {
  private readonly client: Client

  constructor({ baseUrl, apiKey, fetch }: ReelgateOptions) {
    this.client = createClient(
      createConfig({ baseUrl: baseUrl.replace(/\/+$/, ''), ...(apiKey && { auth: apiKey }), ...(fetch && { fetch }) }),
    )
  }

  /** Every video of the account, newest first. */
  async listVideos(): Promise<Video[]> {
    return (await read(operations.listVideos({ client: this.client }))).body.data
  }

  /** One page of videos. */
  async listVideoPage(query: NonNullable<ListVideosData['query']> = {}): Promise<VideoPage> {
    const { data, pagination } = (await read(operations.listVideos({ client: this.client, query: { limit: 100, ...query } }))).body
    return { videos: data, nextCursor: pagination?.nextCursor ?? null }
  }

  async getVideo(videoId: string): Promise<Video> {
    return (await read(operations.getVideo({ client: this.client, path: { videoId } }))).body.data
  }

  /** Asks every `everySec` seconds (10 unless told otherwise) until the video is COMPLETED or FAILED. */
  async waitForVideo(videoId: string, { everySec = 10, signal }: { everySec?: number; signal?: AbortSignal } = {}): Promise<Video> {
    for (;;) {
      signal?.throwIfAborted()
      const video = await this.getVideo(videoId)
      if (video.status === 'COMPLETED' || video.status === 'FAILED') return video
      await pause(everySec * 1000, signal)
    }
  }

  /**
   * A token for one playback session. With the same `idempotencyKey` and video within 5 minutes it is the same token, for one unit of quota:
   * a retry then costs nothing.
   */
  async createPlaybackToken(
    videoId: string,
    { idempotencyKey }: { idempotencyKey?: string } = {},
  ): Promise<PlaybackToken & { rateLimit: RateLimit }> {
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
    const { body, response } = await read(operations.createPlaybackToken({ client: this.client, path: { videoId }, headers }))
    const count = (name: string) => Number(response.headers.get(`X-RateLimit-${name}`))
    const rateLimit = { limit: count('Limit'), remaining: count('Remaining'), resetAt: new Date(count('Reset') * 1000) }
    return { ...body.data, rateLimit }
  }

  /** What a player needs. The token is the only credential; give `videoId` to refuse a token of another video. */
  async getPlaybackManifest(token: string, { videoId }: { videoId?: string } = {}): Promise<PlaybackManifest> {
    const query = videoId === undefined ? {} : { videoId }
    return (await read(operations.getPlaybackManifest({ client: this.client, path: { token }, query }))).body.data
  }

  /** What is left in the account's wallet; needs a key with `billing:read`. Credits are decimal strings. */
  async getBalance(): Promise<Balance> {
    return (await read(operations.getBalance({ client: this.client }))).body.data
  }

  /** What each key did on each UTC day from `from` to `to`, this month so far unless told otherwise; needs a key with `billing:read`. */
  async getUsage(query: NonNullable<GetUsageData['query']> = {}): Promise<Usage> {
    return (await read(operations.getUsage({ client: this.client, query }))).body.data
  }

  /**
   * The account's events after `cursor`, oldest first, waited for up to `wait` seconds; needs a key with `webhook:read`. Without a cursor
   * none, and where the stream stands. For development: in production let webhooks be delivered.
   */
  async listEvents(query: NonNullable<ListEventsData['query']> = {}): Promise<EventPage> {
    const { data, pagination } = (await read(operations.listEvents({ client: this.client, query }))).body
    return { events: data, ...pagination }
  }

  /** Fires a sample of a type for those who follow the events; needs a key with `webhook:read`. */
  async createSampleEvent(eventType: Event['eventType']): Promise<Event> {
    return (await read(operations.createSampleEvent({ client: this.client, path: { eventType } }))).body.data
  }

  /** The service's OpenAPI description. */
  async getDescription(): Promise<Record<string, unknown>> {
    return (await read(operations.getDescription({ client: this.client }))).body
  }
}

async function read<Body>(call: Promise<Outcome<Body>>): Promise<{ body: Body; response: Response }> {
  const { data, error, response } = await call
  if (response?.ok && data !== undefined && typeof data === 'object') return { body: data, response }
  throw asError(error ?? data, response?.status)
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
