import type { CreatedUpload, CreateUpload } from './generated/types.gen.js'
import { openSource, type SendFileOptions, transfer } from './send-file.js'

export interface FromFileOptions extends SendFileOptions {
  /** Fields of the video and bounds of the upload, as for `createUpload`. */
  video?: CreateUpload
  /** Called with the created upload before the first byte. Store `uploadUrl` to go on later with `sendFile`. */
  onCreated?: (upload: CreatedUpload) => void | Promise<void>
}

type Create = (body: CreateUpload) => Promise<CreatedUpload>

/** In a page: its origin, without which the service refuses the page's requests to the upload. */
function ownOrigin(): CreateUpload {
  const { location } = globalThis as { location?: { origin?: string } }
  return location?.origin?.startsWith('http') ? { allowedOrigin: location.origin } : {}
}

/** Uploads of files. */
export class Uploads {
  private readonly create: Create
  private readonly defaults: SendFileOptions

  constructor(create: Create, defaults: SendFileOptions) {
    this.create = create
    this.defaults = defaults
  }

  /**
   * Creates an upload, sends a file (a path in Node, or a Blob) and returns the id of the new video; `allowedOrigin` is that of the page by
   * default. Requires a key with `video:write`, so pages of your users use `sendFile` with an `uploadUrl` of your server instead.
   */
  async fromFile(
    file: Blob | string,
    { video = {}, onCreated, ...options }: FromFileOptions = {},
  ): Promise<{ uploadId: string; videoId: string }> {
    options.signal?.throwIfAborted()
    const source = await openSource(file)
    try {
      const upload = await this.create({ ...ownOrigin(), ...video })
      await onCreated?.(upload)
      const videoId = await transfer(upload.uploadUrl, source, { ...this.defaults, ...options })
      return { uploadId: upload.uploadId, videoId }
    } finally {
      await source.close()
    }
  }
}
