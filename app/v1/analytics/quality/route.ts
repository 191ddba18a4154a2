import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { analyticsExtra, quality, qualityQuery } from '#server/modules/analytics/viewing/analytics-schema'
import { readQuality } from '#server/modules/analytics/viewing/read-quality'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getQuality',
    tag: 'Analytics',
    summary: 'Get playback quality',
    description:
      'Returns how quickly videos started, how long playback waited for data, and which errors the player showed, as the Viewers page of the dashboard shows them, in total and by one property: the day, the video, or the country, device, browser or system. Percentiles have the resolution of their buckets, about a fifth.',
    additive: true,
    auth: 'key',
    scope: 'analytics:read',
    params: z.object({}),
    query: qualityQuery,
    response: quality,
    extra: analyticsExtra,
    errors: ['VIDEO_NOT_FOUND'],
    async run(ctx, { query }) {
      const { quality: data, pagination } = await readQuality(ctx, query)
      return { data, extra: { pagination } }
    },
  }),
})
