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
  EndedViewer,
  Erasure,
  Event,
  GetPicturesData,
  GetPlaysData,
  GetQualityData,
  GetTranscriptData,
  GetUsageData,
  GetViewerData,
  ImportVideo,
  ListCollectionsData,
  ListEventsData,
  ListedViewer,
  ListUploadsData,
  ListVideosData,
  ListVideoViewersData,
  ListViewersData,
  Pictures,
  PlaybackManifest,
  PlaybackPolicy,
  PlaybackQuality,
  PlaybackToken,
  Plays,
  Processing,
  ReplaceSource,
  SourceUpload,
  Transcript,
  Transcription,
  UpdateVideoData,
  Upload,
  Usage,
  Video,
  VideoViewer,
  Viewer,
  ViewerVideo,
} from './generated/types.gen.js'
import { newIdempotencyKey } from './idempotency-key.js'
import { pause } from './pause.js'
import { fromEnvironment, requireBaseUrl, requireIds, requireNumber } from './settings.js'
import { makeTransport } from './transport.js'
import { Uploads } from './uploads.js'

export interface ReelgateOptions {
  /** URL of the service, such as `https://video.example.com`. Defaults to the environment variable `REELGATE_URL`. */
  baseUrl?: string | undefined
  /** An API key, which all methods require except `getPlaybackManifest` and `getDescription`. Defaults to `REELGATE_API_KEY`. For servers only. */
  apiKey?: string | undefined
  /** A `fetch` to use instead of the global one, for example with a proxy. */
  fetch?: typeof fetch
  /** Milliseconds until a request fails. Defaults to 30,000. */
  timeoutMs?: number
  /** How many times to retry a request after a lost connection, a 502, a 503 or a 504, where that is safe. Defaults to 2. */
  retries?: number
}

export interface VideoPage {
  videos: Video[]
  /** Cursor of the next page; null on the last page. */
  nextCursor: string | null
}

export interface EventPage {
  events: Event[]
  /** Cursor of the next page; null on the last page. */
  nextCursor: string | null
  hasMore: boolean
  /** How far the events are read: the `cursor` for later ones. */
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

/** Operations that are methods of a part of the client, by the name of the method. */
interface Parts {
  analytics: { plays: 'getPlays'; quality: 'getQuality' }
  viewers: {
    list: 'listViewers'
    get: 'getViewer'
    getVideo: 'getViewerVideo'
    listOfVideo: 'listVideoViewers'
    end: 'endViewer'
    erase: 'eraseViewer'
  }
}

type OfParts = { [Part in keyof Parts]: Parts[Part][keyof Parts[Part]] }[keyof Parts]
/** `Reelgate` does not compile while an operation of the description has no method. */
type Operations = Record<Exclude<keyof typeof operations, OfParts>, unknown> & {
  [Part in keyof Parts]: Record<keyof Parts[Part], unknown>
}

type Paged<Body> = Body & {
  /** Cursor of the next page; null on the last page. */
  nextCursor: string | null
}

/** A client with one method per operation of the API. Methods return `data`, or throw `ReelgateError` if the service refuses the request. */
export class Reelgate implements Operations {
  private readonly client: Client
  /** Uploads files. */
  readonly uploads: Uploads

  /** Creates a client. Throws TypeError if an option is missing or not valid. */
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

  /** Yields every video of the account, newest first, and requests each page when you need it. */
  async *iterateVideos(query: Omit<NonNullable<ListVideosData['query']>, 'cursor'> = {}): AsyncGenerator<Video, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: VideoPage = await this.listVideoPage({ ...query, ...(cursor && { cursor }) })
      yield* page.videos
      cursor = page.nextCursor
    }
  }

  /** Returns one video. `expand` adds more of it. */
  async getVideo(videoId: string, { expand }: { expand?: readonly Expansion[] } = {}): Promise<Video> {
    const query = expand?.length ? { expand: expand.join(',') } : {}
    return (await read(operations.getVideo({ client: this.client, path: { videoId }, query }))).body.data
  }

  /** Returns one video, and its ETag for `ifMatch`. */
  async getVideoVersion(videoId: string): Promise<{ video: Video; etag: string }> {
    const { body, response } = await read(operations.getVideo({ client: this.client, path: { videoId } }))
    return { video: body.data, etag: response.headers.get('ETag') ?? '*' }
  }

  /**
   * Changes the values you give of a video, and merges metadata by name: null removes a name. With `ifMatch`, an ETag of the video, throws
   * PRECONDITION_FAILED if the video has changed since. Requires a key with `video:write`.
   */
  async updateVideo(videoId: string, changes: NonNullable<UpdateVideoData['body']>, { ifMatch }: Condition = {}): Promise<Video> {
    return (await read(operations.updateVideo({ client: this.client, path: { videoId }, body: changes, headers: conditionOf(ifMatch) })))
      .body.data
  }

  /** Deletes a video at once. You can restore it for 7 days. Requires a key with `video:write`. */
  async deleteVideo(videoId: string, { ifMatch }: Condition = {}): Promise<DeletedVideo> {
    return (await read(operations.deleteVideo({ client: this.client, path: { videoId }, headers: conditionOf(ifMatch) }))).body.data
  }

  /** Restores a deleted video. Requires a key with `video:write`. */
  async restoreVideo(videoId: string): Promise<Video> {
    return (await read(operations.restoreVideo({ client: this.client, path: { videoId } }))).body.data
  }

  /** Stores captions in one language, from a WebVTT or SRT file. Requires a key with `video:write`. */
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

  /** Returns the captions of a video, sorted by language, including the ones found in its file. */
  async listCaptions(videoId: string): Promise<Captions[]> {
    return (await read(operations.listCaptions({ client: this.client, path: { videoId } }))).body.data
  }

  /**
   * Requests captions from the speech of a COMPLETED video: in the spoken language (`auto`), or in the one you name. `replace` gives up the
   * edits of a person. Returns the request; the events `video.captions.ready` and `video.captions.failed` report its end. Requires a key
   * with `video:write`.
   */
  async generateCaptions(videoId: string, language = 'auto', { replace = false }: { replace?: boolean } = {}): Promise<Transcription> {
    const body = { replace }
    return (await read(operations.generateCaptions({ client: this.client, path: { videoId, language }, body }))).body.data
  }

  /** Returns what is said in a video, from its captions: with times, or with `format` as `text`, `vtt` or `srt` in `content`. */
  async getTranscript(videoId: string, query: NonNullable<GetTranscriptData['query']> = {}): Promise<Transcript> {
    return (await read(operations.getTranscript({ client: this.client, path: { videoId }, query }))).body.data
  }

  /** Removes the captions in one language. Requires a key with `video:write`. */
  async deleteCaptions(videoId: string, language: string): Promise<void> {
    await read(operations.deleteCaptions({ client: this.client, path: { videoId, language } }))
  }

  /** Sets the poster, from a JPEG, PNG or WebP file. Requires a key with `video:write`. */
  async putPoster(videoId: string, file: Blob | Uint8Array): Promise<Video> {
    const body = { body: file, bodySerializer: null, headers: { 'Content-Type': 'application/octet-stream' } }
    return (await read(operations.putPoster({ client: this.client, path: { videoId }, ...body }))).body.data
  }

  /**
   * Creates an upload, or with `url` an import, whose file becomes the source of a video. The video plays as before until the new
   * renditions are complete. Requires a key with `video:write`.
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
   * Cancels the replacement of a video's source while it is incomplete. `cancelled` is false if there was nothing to cancel. Requires a key
   * with `video:write`.
   */
  async cancelReplacement(videoId: string): Promise<CancelledReplacement> {
    return (await read(operations.cancelReplacement({ client: this.client, path: { videoId } }))).body.data
  }

  /** Returns the progress of a video until it is COMPLETED: stage, place in the queue, time left, and the state of each part. */
  async getProcessing(videoId: string): Promise<Processing> {
    return (await read(operations.getProcessing({ client: this.client, path: { videoId } }))).body.data
  }

  /** Polls every `everySec` seconds (10 by default) until the video is COMPLETED or FAILED, and returns it. */
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
   * Issues a token for one playback session. Within 5 minutes, the same `idempotencyKey` and video return the same token, and it counts
   * once, so a retry costs nothing. By default, each call and its retries use a key of their own. The other
   * options restrict the session: `viewer`, `maxSessions`, `countries`, `addresses`, `maxHeight`, `expiresInSec` and others.
   */
  async createPlaybackToken(
    videoId: string,
    { idempotencyKey = newIdempotencyKey(), ...policy }: { idempotencyKey?: string } & PlaybackPolicy = {},
  ): Promise<PlaybackToken & { rateLimit: RateLimit }> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    const { body, response } = await read(operations.createPlaybackToken({ client: this.client, path: { videoId }, headers, body: policy }))
    const rateLimit = rateLimitOf(response) ?? { limit: 0, remaining: 0, resetAt: new Date(0) }
    return { ...body.data, rateLimit }
  }

  /** Returns what a player needs. The token is the only credential. With `videoId`, the service refuses a token of any other video. */
  async getPlaybackManifest(token: string, { videoId }: { videoId?: string } = {}): Promise<PlaybackManifest> {
    const query = videoId === undefined ? {} : { videoId }
    return (await read(operations.getPlaybackManifest({ client: this.client, path: { token }, query }))).body.data
  }

  /** Returns the credits left in the account's wallet, as decimal strings. Requires a key with `billing:read`. */
  async getBalance(): Promise<Balance> {
    return (await read(operations.getBalance({ client: this.client }))).body.data
  }

  /** Returns usage by key and UTC day, from `from` to `to`. Defaults to this month so far. Requires a key with `billing:read`. */
  async getUsage(query: NonNullable<GetUsageData['query']> = {}): Promise<Usage> {
    return (await read(operations.getUsage({ client: this.client, query }))).body.data
  }

  /**
   * Returns the account's events after `cursor`, oldest first, and waits up to `wait` seconds for one. Without a cursor, returns no events
   * and the current `position`, the cursor for later ones. For development; use webhooks in production. Requires a key with `webhook:read`.
   */
  async listEvents(query: NonNullable<ListEventsData['query']> = {}): Promise<EventPage> {
    const { data, pagination } = (await read(operations.listEvents({ client: this.client, query }))).body
    return { events: data, ...pagination }
  }

  /**
   * Yields the account's events as they occur, starting after `cursor`, until `signal` aborts. For development; use webhooks in production.
   * Requires a key with `webhook:read`.
   */
  async *iterateEvents({ cursor, signal }: { cursor?: string; signal?: AbortSignal } = {}): AsyncGenerator<Event, void, undefined> {
    for (let next = cursor; ; ) {
      const query = next === undefined ? {} : { cursor: next, wait: 20 }
      const askedAt = Date.now()
      const { data, pagination } = (await read(operations.listEvents({ client: this.client, query, signal: signal ?? null }))).body
      yield* data
      // An immediate empty response means that the service does not wait, as while it stops.
      if (next !== undefined && data.length === 0 && Date.now() - askedAt < 1_000) await pause(1_000, signal)
      next = pagination.position
    }
  }

  /** Creates a sample event for readers of the event stream. Requires a key with `webhook:read`. */
  async createSampleEvent(eventType: Event['eventType']): Promise<Event> {
    return (await read(operations.createSampleEvent({ client: this.client, path: { eventType } }))).body.data
  }

  /**
   * Creates an upload. Give `uploadUrl` to a browser or a program, which sends the file without an API key. Within 24 hours, the same
   * `idempotencyKey` and body return the same upload. Requires a key with `video:write`.
   */
  async createUpload(
    body: CreateUpload = {},
    { idempotencyKey = newIdempotencyKey() }: { idempotencyKey?: string } = {},
  ): Promise<CreatedUpload> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    return (await read(operations.createUpload({ client: this.client, body, headers }))).body.data
  }

  /** Returns the state of an upload, and the ID of its video once it is complete. Requires a key with `video:write`. */
  async getUpload(uploadId: string): Promise<Upload> {
    return (await read(operations.getUpload({ client: this.client, path: { uploadId } }))).body.data
  }

  /** Returns one page of the uploads that API keys created, newest first. Requires a key with `video:write`. */
  async listUploads(query: NonNullable<ListUploadsData['query']> = {}): Promise<UploadPage> {
    const { data, pagination } = (await read(operations.listUploads({ client: this.client, query }))).body
    return { uploads: data, nextCursor: pagination.nextCursor }
  }

  /** Yields the uploads that API keys created, newest first, and requests each page when you need it. */
  async *iterateUploads(query: Omit<NonNullable<ListUploadsData['query']>, 'cursor'> = {}): AsyncGenerator<Upload, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: UploadPage = await this.listUploads({ ...query, ...(cursor && { cursor }) })
      yield* page.uploads
      cursor = page.nextCursor
    }
  }

  /** Cancels an upload and removes what has arrived. Requires a key with `video:write`. */
  async cancelUpload(uploadId: string): Promise<Upload> {
    return (await read(operations.cancelUpload({ client: this.client, path: { uploadId } }))).body.data
  }

  /** Imports a video from a URL. `getUpload` returns the state. The same `idempotencyKey` returns the same import. */
  async importVideo(body: ImportVideo, { idempotencyKey = newIdempotencyKey() }: { idempotencyKey?: string } = {}): Promise<Upload> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    return (await read(operations.importVideo({ client: this.client, body, headers }))).body.data
  }

  /**
   * Returns a URL, valid for one hour, of a video's original file, or with `quality` of that rendition as an MP4. While `status` is
   * `preparing`, repeat the call after `retryAfterSec`. Downloads must be on in the settings of the account.
   */
  async createDownload(videoId: string, body: NonNullable<CreateDownloadData['body']> = {}): Promise<Download> {
    return (await read(operations.createDownload({ client: this.client, path: { videoId }, body }))).body.data
  }

  /** Returns signed URLs of the pictures of a video: the poster, the storyboard, and a thumbnail at `time` in seconds. */
  async getPictures(videoId: string, query: NonNullable<GetPicturesData['query']> = {}): Promise<Pictures> {
    return (await read(operations.getPictures({ client: this.client, path: { videoId }, query }))).body.data
  }

  /** Reads, ends and erases viewers, whom your own IDs name. Requires a key with `viewer:read`, or `viewer:write` to end and erase. */
  readonly viewers = {
    /** Returns one page of the viewers of the account, most recent first. */
    list: async (query: NonNullable<ListViewersData['query']> = {}): Promise<{ viewers: ListedViewer[]; nextCursor: string | null }> => {
      const { data, pagination } = (await read(operations.listViewers({ client: this.client, query }))).body
      return { viewers: data, nextCursor: pagination.nextCursor }
    },
    /** Returns a viewer, with a page of what they watched. */
    get: async (viewerId: string, query: NonNullable<GetViewerData['query']> = {}): Promise<Paged<Viewer>> => {
      const { data, pagination } = (await read(operations.getViewer({ client: this.client, path: { viewerId }, query }))).body
      return { ...data, nextCursor: pagination.nextCursor }
    },
    /** Returns how much of a video a viewer has watched. */
    getVideo: async (viewerId: string, videoId: string): Promise<ViewerVideo> =>
      (await read(operations.getViewerVideo({ client: this.client, path: { viewerId, videoId } }))).body.data,
    /** Returns one page of the viewers of a video, most recent first. */
    listOfVideo: async (
      videoId: string,
      query: NonNullable<ListVideoViewersData['query']> = {},
    ): Promise<{ viewers: VideoViewer[]; nextCursor: string | null }> => {
      const { data, pagination } = (await read(operations.listVideoViewers({ client: this.client, path: { videoId }, query }))).body
      return { viewers: data, nextCursor: pagination.nextCursor }
    },
    /** Ends every session of a viewer at once. */
    end: async (viewerId: string): Promise<EndedViewer> =>
      (await read(operations.endViewer({ client: this.client, path: { viewerId } }))).body.data,
    /**
     * Erases a viewer: ends their sessions, and deletes everything that is kept about them. Returns the signed receipt, which `reelgate
     * verify-receipt` verifies; a repeated call returns the same one.
     */
    erase: async (viewerId: string): Promise<Erasure> =>
      (await read(operations.eraseViewer({ client: this.client, path: { viewerId } }))).body.data,
  }

  /** Reads how much was played, and how well. Requires a key with `analytics:read`. */
  readonly analytics = {
    /** Returns plays and seconds watched in a range of UTC days, in total and by one property, such as `groupBy: 'country'`. */
    plays: async (query: NonNullable<GetPlaysData['query']> = {}): Promise<Paged<Plays>> => {
      const { data, pagination } = (await read(operations.getPlays({ client: this.client, query }))).body
      return { ...data, nextCursor: pagination.nextCursor }
    },
    /** Returns startup times, rebuffering and errors in a range of UTC days, in total and by one property. */
    quality: async (query: NonNullable<GetQualityData['query']> = {}): Promise<Paged<PlaybackQuality>> => {
      const { data, pagination } = (await read(operations.getQuality({ client: this.client, query }))).body
      return { ...data, nextCursor: pagination.nextCursor }
    },
  }

  /** Returns one page of collections, sorted by name. */
  async listCollections(query: NonNullable<ListCollectionsData['query']> = {}): Promise<CollectionPage> {
    const { data, pagination } = (await read(operations.listCollections({ client: this.client, query }))).body
    return { collections: data, nextCursor: pagination.nextCursor }
  }

  /** Creates a collection. No other collection of the account may have its name. */
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

  /** Deletes a collection, but not its videos. */
  async deleteCollection(collectionId: string): Promise<DeletedCollection> {
    return (await read(operations.deleteCollection({ client: this.client, path: { collectionId } }))).body.data
  }

  /** Adds a video to a collection. Adding it again changes nothing. */
  async addCollectionVideo(collectionId: string, videoId: string): Promise<CollectionVideo> {
    return (await read(operations.addCollectionVideo({ client: this.client, path: { collectionId, videoId } }))).body.data
  }

  /** Removes a video from a collection. The video is not deleted. */
  async removeCollectionVideo(collectionId: string, videoId: string): Promise<DeletedCollectionVideo> {
    return (await read(operations.removeCollectionVideo({ client: this.client, path: { collectionId, videoId } }))).body.data
  }

  /** Returns the OpenAPI description of the service. */
  async getDescription(): Promise<Record<string, unknown>> {
    return (await read(operations.getDescription({ client: this.client }))).body
  }
}

async function read<Body>(call: Promise<Outcome<Body>>): Promise<{ body: Body; response: Response }> {
  const { data, error, response } = await call
  if (response?.ok && data !== undefined && typeof data === 'object') return { body: data, response }
  throw asError(error ?? data, response)
}
