import { expect, it } from 'vitest'
import { matchesEtag } from './etag.ts'

const ETAG = '"QyWxT0nSbdk-X3Jd0l7-br"'
const bare = ETAG.slice(1, -1)

it.each([
  ETAG,
  ` ${ETAG} `,
  '*',
  `W/${ETAG}`,
  `"other", ${ETAG}`,
  `"other",W/${ETAG},"more"`,
  // Apache, Caddy, older Apache, Jetty, and a proxy that weakens what another one changed.
  `"${bare}-gzip"`,
  `"${bare}-br"`,
  `"${bare}-zstd"`,
  `"${bare};gzip"`,
  `"${bare}--gzip"`,
  `${ETAG}-gzip`,
  `W/"${bare}-gzip"`,
  `"other-gzip", "${bare}-gzip"`,
])('%s names the validator', (header) => {
  expect(matchesEtag(header, ETAG)).toBe(true)
})

it.each([undefined, '', '"other"', `"${bare}x"`, `"x${bare}"`, `"${bare}-tar"`, '"-gzip"', 'W/', `"${bare.slice(0, -3)}"`])(
  '%s does not name it',
  (header) => {
    expect(matchesEtag(header, ETAG)).toBe(false)
  },
)
