import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { keySet } from '#server/modules/audit/receipts/jwks'
import { JWKS_MAX_AGE_SEC } from '#server/modules/audit/receipts/signing-keys'
import { matchesEtag } from '#server/platform/network/etag'

/** Serves the public keys that verify receipts (RFC 7517). */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async ({ header }) => {
    const { body, etag } = await keySet()
    const headers = { 'Cache-Control': `public, max-age=${JWKS_MAX_AGE_SEC}`, ETag: etag }
    if (matchesEtag(header('if-none-match'), etag)) return { status: 304, headers, body: null }
    return { status: 200, headers: { ...headers, 'Content-Type': 'application/jwk-set+json' }, body }
  }),
})
