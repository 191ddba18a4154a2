import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { getQualityReceipt } from '#server/modules/quality-receipts/read-receipt'
import { qualityQuery, qualityReceipt } from '#server/modules/quality-receipts/schema'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getQualityReceipt',
    tag: 'Videos',
    summary: 'Get quality receipt',
    description:
      'A signed statement about the media of a COMPLETED video: the hashes of its source and of every segment of the picture, how each part was encoded, and how well a sample of its pictures shows those of the source (VMAF). It is made while nothing is transcoded, some time after the video is COMPLETED. `reelgate verify-quality` verifies it.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    query: qualityQuery,
    response: qualityReceipt,
    errors: ['VIDEO_NOT_FOUND', 'VIDEO_NOT_READY', 'QUALITY_RECEIPT_NOT_FOUND', 'QUALITY_RECEIPT_NOT_READY'],
    run: async (ctx, { params, query }) => ({ data: await getQualityReceipt(ctx, { ...params, ...query }) }),
  }),
})
