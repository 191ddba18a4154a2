import { env } from '../../platform/config/config.ts'
import { etagOf } from '../../platform/network/etag.ts'
import written from '../openapi.json' with { type: 'json' }

let rendered: { baseUrl: string; json: Buffer; etag: string } | undefined

/**
 * Returns the API's description as this deployment serves it: what `npm run openapi` wrote from the contracts, with this deployment's URL.
 */
export function description(): { json: Buffer; etag: string } {
  const baseUrl = env().BASE_URL
  if (rendered?.baseUrl !== baseUrl) {
    const docs = { description: 'Guides and API reference.', url: `${baseUrl}/docs` }
    const json = Buffer.from(JSON.stringify({ ...written, servers: [{ url: baseUrl }], externalDocs: docs }))
    rendered = { baseUrl, json, etag: etagOf(json) }
  }
  return rendered
}
