import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { description } from '#server/http/openapi/description'
import { route } from '#server/http/route'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getDescription',
    tag: 'Description',
    summary: 'Get the OpenAPI description',
    description: 'OpenAPI 3.1, without an envelope.',
    additive: true,
    auth: 'none',
    params: z.object({}),
    response: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
    bare: true,
    etag: true,
    errors: [],
    cors: true,
    run: () => ({ ...description(), headers: { 'Cache-Control': 'public, no-cache' } }),
  }),
})
