import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const get = (init?: RequestInit) => fetch(`${baseUrl}/v1/openapi.json`, init)

describe('GET /v1/openapi.json', () => {
  it('is public, without an envelope, and names this deployment', async () => {
    const response = await get()
    const body = await response.json()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('public, no-cache')
    expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: baseUrl }], externalDocs: { url: `${baseUrl}/docs` } })
    expect(body.paths['/v1/video/{videoId}/playback-token'].post).toMatchObject({
      operationId: 'createPlaybackToken',
      security: [{ ApiKey: ['video:read'] }],
      responses: { 409: { 'x-additive': true }, 429: { headers: { 'Retry-After': {}, 'X-RateLimit-Limit': {} } } },
    })
  })

  it('returns 304 for its validator', async () => {
    const etag = (await get()).headers.get('etag') as string
    const again = await get({ headers: { 'If-None-Match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
  })
})
