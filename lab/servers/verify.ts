import { readFileSync } from 'node:fs'
import { jwtVerify } from 'jose'

/** The ceiling of a token exchange: verifies the same token with the same library, one after another, and nothing else. */
const { token, secret, issuer, audience } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Record<string, string>
const key = await crypto.subtle.importKey('raw', Buffer.from(secret as string, 'hex'), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])

process.on('message', async () => {
  const began = performance.now()
  let count = 0
  for (; performance.now() - began < 2_000; count++) {
    await jwtVerify(token as string, () => key, { algorithms: ['HS256'], issuer, audience })
  }
  process.send?.({ rate: (count / (performance.now() - began)) * 1000 })
})
process.send?.({ url: '' })
