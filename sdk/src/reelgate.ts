import { asError, type RateLimit, rateLimitOf } from './error.js'
import { type Client, createClient, createConfig } from './generated/client/index.js'
import * as operations from './generated/sdk.gen.js'
import type {
  Balance,
  CancelledReplacement,
  Captions,
  Collection,
  CollectionVideo,
  CreateDownloadData,
  CreatedUpload,
  CreateUpload,
  DeletedCollection,
  DeletedCollectionVideo,
  DeletedVideo,
  Download,
  Event,
  GetPicturesData,
  GetUsageData,
  ImportVideo,
  ListCollectionsData,
  ListEventsData,
  ListUploadsData,
  ListVideosData,
  Pictures,
  PlaybackManifest,
  PlaybackToken,
  Processing,
  ReplaceSource,
  SourceUpload,
  UpdateVideoData,
  Upload,
  Usage,
  Video,
} from './generated/types.gen.js'
import { newIdempotencyKey } from './idempotency-key.js'
import { pause } from './pause.js'
import { fromEnvironment, requireBaseUrl, requireIds, requireNumber } from './settings.js'
import { makeTransport } from './transport.js'
import { Uploads } from './uploads.js'

export interface ReelgateOptions {
  /** The service's address, e.g. `https://video.example.com`; by default `REELGATE_URL` of the environment. */
  baseUrl?: string | undefined
  /** An API key; required for everything but `getPlaybackManifest` and `getDescription`. By default `REELGATE_API_KEY`. Keep it on your server. */
  apiKey?: string | undefined
  /** A `fetch` to use instead of the global one, e.g. with a proxy. */
  fetch?: typeof fetch
  /** Milliseconds until a request fails; 30,000 by default. */
  timeoutMs?: number
  /** How often a request is repeated after a failed connection, 502, 503 or 504, where that is safe; 2 by default. */
  retries?: number
}

export interface VideoPage {
  videos: Video[]
  /** For the next page; null on the last. */
  nextCursor: string | null
}

export interface EventPage {
  events: Event[]
  /** For the next page; null on the last. */
  nextCursor: string | null
  hasMore: boolean
  /** Where the stream was read to: the `cursor` for later events. */
  position: string
}

/** A page of uploads, and the cursor of the next one. */
export interface UploadPage {
  uploads: Upload[]
  nextCursor: string | null
}

/** A page of collections, and the cursor of the next one. */
export interface CollectionPage {
  collections: Collection[]
  nextCursor: string | null
}

/** Parts that `expand` adds to a video. */
export type Expansion = 'metadata' | 'collections' | 'processing' | 'storage' | 'pictures' | 'downloads'

interface Condition {
  ifMatch?: string
}

const conditionOf = (ifMatch: string | undefined) => (ifMatch === undefined ? {} : { 'If-Match': ifMatch })

interface Outcome<Body> {
  data?: Body
  error?: unknown
  response?: Response
}

/** `Reelgate` does not compile while an operation of the description has no method of its name. */
type Operations = Record<keyof typeof operations, unknown>

/** The API, one method per operation. Methods return `data` and throw `ReelgateError` when the service refuses the request. */
export class Reelgate implements Operations {
  private readonly client: Client
  /** Uploads of files. */
  readonly uploads: Uploads

  /** Throws TypeError for a setting that is missing or not valid. */
  constructor({ baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000, retries = 2 }: ReelgateOptions = {}) {
    const key = apiKey ?? fromEnvironment('REELGATE_API_KEY')
    const transport = makeTransport({
      fetch,
      timeoutMs: requireNumber('timeoutMs', timeoutMs, 1),
      retries: requireNumber('retries', retries, 0),
    })
    const address = requireBaseUrl(baseUrl ?? fromEnvironment('REELGATE_URL'))
    this.client = createClient(createConfig({ baseUrl: address, fetch: transport, ...(key && { auth: key }) }))
    this.client.interceptors.request.use((request, { path }) => {
      requireIds(path)
      return request
    })
    this.uploads = new Uploads((body) => this.createUpload(body), { fetch })
  }

  /** Returns every video of the account, newest first. */
  async listVideos(): Promise<Video[]> {
    return (await read(operations.listVideos({ client: this.client }))).body.data
  }

  /** Returns one page of videos. */
  async listVideoPage(query: NonNullable<ListVideosData['query']> = {}): Promise<VideoPage> {
    const { data, pagination } = (await read(operations.listVideos({ client: this.client, query: { limit: 100, ...query } }))).body
    return { videos: data, nextCursor: pagination?.nextCursor ?? null }
  }

  /** Yields every video of the account, newest first, and requests the next page when it is needed. */
  async *iterateVideos(query: Omit<NonNullable<ListVideosData['query']>, 'cursor'> = {}): AsyncGenerator<Video, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: VideoPage = await this.listVideoPage({ ...query, ...(cursor && { cursor }) })
      yield* page.videos
      cursor = page.nextCursor
    }
  }

  /** Returns one video; `expand` adds parts of it. */
  async getVideo(videoId: string, { expand }: { expand?: readonly Expansion[] } = {}): Promise<Video> {
    const query = expand?.length ? { expand: expand.join(',') } : {}
    return (await read(operations.getVideo({ client: this.client, path: { videoId }, query }))).body.data
  }

  /** Returns one video with its ETag, for `ifMatch`. */
  async getVideoVersion(videoId: string): Promise<{ video: Video; etag: string }> {
    const { body, response } = await read(operations.getVideo({ client: this.client, path: { videoId } }))
    return { video: body.data, etag: response.headers.get('ETag') ?? '*' }
  }

  /**
   * Changes the given values of a video; requires a key with `video:write`. Metadata is merged by name: null removes one. With `ifMatch`, an
   * ETag of the video, throws PRECONDITION_FAILED when it has changed since.
   */
  async updateVideo(videoId: string, changes: NonNullable<UpdateVideoData['body']>, { ifMatch }: Condition = {}): Promise<Video> {
    return (await read(operations.updateVideo({ client: this.client, path: { videoId }, body: changes, headers: conditionOf(ifMatch) })))
      .body.data
  }

  /** Deletes a video at once; it can be restored for 7 days. Requires a key with `video:write`. */
  async deleteVideo(videoId: string, { ifMatch }: Condition = {}): Promise<DeletedVideo> {
    return (await read(operations.deleteVideo({ client: this.client, path: { videoId }, headers: conditionOf(ifMatch) }))).body.data
  }

  /** Restores a deleted video; requires a key with `video:write`. */
  async restoreVideo(videoId: string): Promise<Video> {
    return (await read(operations.restoreVideo({ client: this.client, path: { videoId } }))).body.data
  }

  /** Stores captions in one language, from a WebVTT or SRT file; requires a key with `video:write`. */
  async putCaptions(
    videoId: string,
    language: string,
    file: string | Blob | Uint8Array,
    { label }: { label?: string } = {},
  ): Promise<Captions> {
    const query = label === undefined ? {} : { label }
    const body = { body: file, bodySerializer: null, headers: { 'Content-Type': 'application/octet-stream' } }
    return (await read(operations.putCaptions({ client: this.client, path: { videoId, language }, query, ...body }))).body.data
  }

  /** Returns the captions of a video by language, with those that were found in its file. */
  async listCaptions(videoId: string): Promise<Captions[]> {
    return (await read(operations.listCaptions({ client: this.client, path: { videoId } }))).body.data
  }

  /** Removes the captions in one language; requires a key with `video:write`. */
  async deleteCaptions(videoId: string, language: string): Promise<void> {
    await read(operations.deleteCaptions({ client: this.client, path: { videoId, language } }))
  }

  /** Sets the poster, from a JPEG, PNG or WebP file; requires a key with `video:write`. */
  async putPoster(videoId: string, file: Blob | Uint8Array): Promise<Video> {
    const body = { body: file, bodySerializer: null, headers: { 'Content-Type': 'application/octet-stream' } }
    return (await read(operations.putPoster({ client: this.client, path: { videoId }, ...body }))).body.data
  }

  /**
   * Creates an upload, or with `url` an import, whose file becomes the source of a video; requires a key with `video:write`. The video plays
   * as before until the new renditions are complete.
   */
  async replaceSource(
    videoId: string,
    body: ReplaceSource = {},
    { idempotencyKey = newIdempotencyKey(), ifMatch }: { idempotencyKey?: string } & Condition = {},
  ): Promise<SourceUpload> {
    const headers = { 'Idempotency-Key': idempotencyKey, ...conditionOf(ifMatch) }
    return (await read(operations.replaceSource({ client: this.client, path: { videoId }, body, headers }))).body.data
  }

  /**
   * Cancels what replaces the source of a video and is not complete; requires a key with `video:write`. `cancelled` is false when there was
   * nothing to cancel.
   */
  async cancelReplacement(videoId: string): Promise<CancelledReplacement> {
    return (await read(operations.cancelReplacement({ client: this.client, path: { videoId } }))).body.data
  }

  /** Returns what happens to a video until it is COMPLETED: stage, place in the queue, time left, and the parts that are encoded. */
  async getProcessing(videoId: string): Promise<Processing> {
    return (await read(operations.getProcessing({ client: this.client, path: { videoId } }))).body.data
  }

  /** Polls every `everySec` seconds (10 by default) until the video is COMPLETED or FAILED. */
  async waitForVideo(videoId: string, { everySec = 10, signal }: { everySec?: number; signal?: AbortSignal } = {}): Promise<Video> {
    requireNumber('everySec', everySec, 0)
    for (;;) {
      signal?.throwIfAborted()
      const video = await this.getVideo(videoId)
      if (video.status === 'COMPLETED' || video.status === 'FAILED') return video
      await pause(everySec * 1000, signal)
    }
  }

  /**
   * Creates a token for one playback session. With the same `idempotencyKey` and video within 5 minutes it returns the same token for one
   * unit of quota, so a retry costs nothing. Each call has a key of its own by default, which its own retries use.
   */
  async createPlaybackToken(
    videoId: string,
    { idempotencyKey = newIdempotencyKey() }: { idempotencyKey?: string } = {},
  ): Promise<PlaybackToken & { rateLimit: RateLimit }> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    const { body, response } = await read(operations.createPlaybackToken({ client: this.client, path: { videoId }, headers }))
    const rateLimit = rateLimitOf(response) ?? { limit: 0, remaining: 0, resetAt: new Date(0) }
    return { ...body.data, rateLimit }
  }

  /** Returns what a player needs. The token is the only credential; pass `videoId` to refuse a token of another video. */
  async getPlaybackManifest(token: string, { videoId }: { videoId?: string } = {}): Promise<PlaybackManifest> {
    const query = videoId === undefined ? {} : { videoId }
    return (await read(operations.getPlaybackManifest({ client: this.client, path: { token }, query }))).body.data
  }

  /** Returns what is left in the account's wallet; requires a key with `billing:read`. Credits are decimal strings. */
  async getBalance(): Promise<Balance> {
    return (await read(operations.getBalance({ client: this.client }))).body.data
  }

  /** Returns each key's usage on each UTC day from `from` to `to`, by default this month so far; requires a key with `billing:read`. */
  async getUsage(query: NonNullable<GetUsageData['query']> = {}): Promise<Usage> {
    return (await read(operations.getUsage({ client: this.client, query }))).body.data
  }

  /**
   * Returns the account's events after `cursor`, oldest first; waits up to `wait` seconds for one. Without a cursor returns none and the
   * present `position`, which is the cursor for later events. Requires a key with `webhook:read`. For development: use webhooks in production.
   */
  async listEvents(query: NonNullable<ListEventsData['query']> = {}): Promise<EventPage> {
    const { data, pagination } = (await read(operations.listEvents({ client: this.client, query }))).body
    return { events: data, ...pagination }
  }

  /**
   * Yields the account's events as they occur, from `cursor` on, and waits for further ones until `signal` aborts. Requires a key with
   * `webhook:read`. For development: use webhooks in production.
   */
  async *iterateEvents({ cursor, signal }: { cursor?: string; signal?: AbortSignal } = {}): AsyncGenerator<Event, void, undefined> {
    for (let next = cursor; ; ) {
      const query = next === undefined ? {} : { cursor: next, wait: 20 }
      const { data, pagination } = (await read(operations.listEvents({ client: this.client, query, signal: signal ?? null }))).body
      yield* data
      next = pagination.position
    }
  }

  /** Creates a sample event of a type for readers of the event stream; requires a key with `webhook:read`. */
  async createSampleEvent(eventType: Event['eventType']): Promise<Event> {
    return (await read(operations.createSampleEvent({ client: this.client, path: { eventType } }))).body.data
  }

  /**
   * Creates an upload. Give `uploadUrl` to a browser or a program, which sends the file without an API key. With the same
   * `idempotencyKey` and body within 24 hours it returns the same upload. Requires a key with `video:write`.
   */
  async createUpload(
    body: CreateUpload = {},
    { idempotencyKey = newIdempotencyKey() }: { idempotencyKey?: string } = {},
  ): Promise<CreatedUpload> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    return (await read(operations.createUpload({ client: this.client, body, headers }))).body.data
  }

  /** Returns the state of an upload, and the id of its video once it is completed; requires a key with `video:write`. */
  async getUpload(uploadId: string): Promise<Upload> {
    return (await read(operations.getUpload({ client: this.client, path: { uploadId } }))).body.data
  }

  /** Returns one page of the uploads that keys created, newest first; requires a key with `video:write`. */
  async listUploads(query: NonNullable<ListUploadsData['query']> = {}): Promise<UploadPage> {
    const { data, pagination } = (await read(operations.listUploads({ client: this.client, query }))).body
    return { uploads: data, nextCursor: pagination.nextCursor }
  }

  /** Yields the uploads that keys created, newest first, and requests the next page when it is needed. */
  async *iterateUploads(query: Omit<NonNullable<ListUploadsData['query']>, 'cursor'> = {}): AsyncGenerator<Upload, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: UploadPage = await this.listUploads({ ...query, ...(cursor && { cursor }) })
      yield* page.uploads
      cursor = page.nextCursor
    }
  }

  /** Cancels an upload and removes what was received; requires a key with `video:write`. */
  async cancelUpload(uploadId: string): Promise<Upload> {
    return (await read(operations.cancelUpload({ client: this.client, path: { uploadId } }))).body.data
  }

  /** Starts the import of a video from a URL. `getUpload` returns its state. The same `idempotencyKey` returns the same import. */
  async importVideo(body: ImportVideo, { idempotencyKey = newIdempotencyKey() }: { idempotencyKey?: string } = {}): Promise<Upload> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    return (await read(operations.importVideo({ client: this.client, body, headers }))).body.data
  }

  /**
   * Returns the URL of a video's original file, or of a `quality` of it as an MP4, for one hour. While the MP4 is prepared, `status` is
   * `preparing`: repeat the call after `retryAfterSec`. The account must permit downloads.
   */
  async createDownload(videoId: string, body: NonNullable<CreateDownloadData['body']> = {}): Promise<Download> {
    return (await read(operations.createDownload({ client: this.client, path: { videoId }, body }))).body.data
  }

  /** Returns signed URLs of the pictures of a video: poster, storyboard, and a thumbnail at `time` (seconds). */
  async getPictures(videoId: string, query: NonNullable<GetPicturesData['query']> = {}): Promise<Pictures> {
    return (await read(operations.getPictures({ client: this.client, path: { videoId }, query }))).body.data
  }

  /** Returns one page of collections by name. */
  async listCollections(query: NonNullable<ListCollectionsData['query']> = {}): Promise<CollectionPage> {
    const { data, pagination } = (await read(operations.listCollections({ client: this.client, query }))).body
    return { collections: data, nextCursor: pagination.nextCursor }
  }

  /** Creates a collection with a name that no other of the account has. */
  async createCollection(name: string): Promise<Collection> {
    return (await read(operations.createCollection({ client: this.client, body: { name } }))).body.data
  }

  /** Returns a collection. */
  async getCollection(collectionId: string): Promise<Collection> {
    return (await read(operations.getCollection({ client: this.client, path: { collectionId } }))).body.data
  }

  /** Renames a collection. */
  async updateCollection(collectionId: string, name: string): Promise<Collection> {
    return (await read(operations.updateCollection({ client: this.client, path: { collectionId }, body: { name } }))).body.data
  }

  /** Deletes a collection; its videos stay. */
  async deleteCollection(collectionId: string): Promise<DeletedCollection> {
    return (await read(operations.deleteCollection({ client: this.client, path: { collectionId } }))).body.data
  }

  /** Adds a video to a collection; adding it again changes nothing. */
  async addCollectionVideo(collectionId: string, videoId: string): Promise<CollectionVideo> {
    return (await read(operations.addCollectionVideo({ client: this.client, path: { collectionId, videoId } }))).body.data
  }

  /** Removes a video from a collection; the video stays. */
  async removeCollectionVideo(collectionId: string, videoId: string): Promise<DeletedCollectionVideo> {
    return (await read(operations.removeCollectionVideo({ client: this.client, path: { collectionId, videoId } }))).body.data
  }

  /** Returns the service's OpenAPI description. */
  async getDescription(): Promise<Record<string, unknown>> {
    return (await read(operations.getDescription({ client: this.client }))).body
  }
}

async function read<Body>(call: Promise<Outcome<Body>>): Promise<{ body: Body; response: Response }> {
  const { data, error, response } = await call
  if (response?.ok && data !== undefined && typeof data === 'object') return { body: data, response }
  throw asError(error ?? data, response)
}
