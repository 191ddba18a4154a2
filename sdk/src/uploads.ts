import type { CreatedUpload, CreateUpload } from './generated/types.gen.js'
import { openSource, type SendFileOptions, transfer } from './send-file.js'

export interface FromFileOptions extends SendFileOptions {
  /** Fields of the video and limits of the upload, as for `createUpload`. */
  video?: CreateUpload
  /** Called with the new upload, before the first byte is sent. Store its `uploadUrl` to resume later with `sendFile`. */
  onCreated?: (upload: CreatedUpload) => void | Promise<void>
}

type Create = (body: CreateUpload) => Promise<CreatedUpload>

/** Returns the origin of the page this runs in. Without it, the service refuses the page's requests to the upload. */
function ownOrigin(): CreateUpload {
  const { location } = globalThis as { location?: { origin?: string } }
  return location?.origin?.startsWith('http') ? { allowedOrigin: location.origin } : {}
}

/** Uploads files. */
export class Uploads {
  private readonly create: Create
  private readonly defaults: SendFileOptions

  constructor(create: Create, defaults: SendFileOptions) {
    this.create = create
    this.defaults = defaults
  }

  /**
   * Creates an upload, sends a file (a path in Node, or a Blob) and returns the ID of the new video. In a page, `allowedOrigin` defaults to
   * its origin. Requires a key with `video:write`: in pages for your users, call `sendFile` with an `uploadUrl` from your server instead.
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
