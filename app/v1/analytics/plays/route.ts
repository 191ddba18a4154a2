import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { analyticsExtra, plays, playsQuery } from '#server/modules/analytics/viewing/analytics-schema'
import { readPlays } from '#server/modules/analytics/viewing/read-plays'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getPlays',
    tag: 'Analytics',
    summary: 'Get plays',
    description:
      'Returns plays and watch time, as the Viewers page of the dashboard shows them, in total and by one property: the day, the video, or the country, device, browser, system, site or rendition. We store no two properties of a viewer together. We count views in the embed player within seconds. Views with tokens of test keys do not count.',
    additive: true,
    auth: 'key',
    scope: 'analytics:read',
    params: z.object({}),
    query: playsQuery,
    response: plays,
    extra: analyticsExtra,
    errors: ['VIDEO_NOT_FOUND'],
    async run(ctx, { query }) {
      const { plays: data, pagination } = await readPlays(ctx, query)
      return { data, extra: { pagination } }
    },
  }),
})
