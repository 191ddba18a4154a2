import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { createDownload } from '#server/modules/delivery/downloads/create-download'
import { download, downloadInput } from '#server/modules/delivery/downloads/schema'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'createDownload',
    tag: 'Videos',
    summary: 'Get a download URL',
    description:
      'Returns a URL of the original file, or of a rendition as an MP4. We prepare the MP4 at the first request and keep it for a week after the last one, within the limit of the account. Downloads must be on in the settings of the account.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    body: downloadInput,
    response: download,
    errors: ['VIDEO_NOT_FOUND', 'VIDEO_NOT_READY', 'DOWNLOADS_DISABLED', 'DOWNLOAD_TOO_LARGE'],
    run: async (ctx, { params, body }) => ({ data: await createDownload(ctx, { ...params, ...body }) }),
  }),
})
