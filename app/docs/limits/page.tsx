import type { Metadata } from 'next'
import { HEADERS } from '#server/http/openapi-headers'
import { defaultLimit } from '#server/modules/accounts/limit'
import { MAX_FRAME_RATE, MAX_STREAMS } from '#server/modules/transcoding/limits'
import { env } from '#server/platform/config'
import { formatBytes, formatCount } from '../../_ui/format'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Limits' }

const QUOTAS = [
  { endpoint: 'GET /v1/video', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/video/{videoId}', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'POST /v1/video/{videoId}/playback-token', free: '1,000 a day', paid: '0.5 credit per 1,000' },
  { endpoint: 'GET /v1/video/playback/manifest/{token}', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/billing/balance', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/billing/usage', free: 'unlimited', paid: 'unlimited' },
]

const COUNTERS = (['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'] as const).map((name) => ({
  name,
  meaning: name === 'Retry-After' ? 'Only on 429. Seconds until the quota resets.' : HEADERS[name].description,
}))

const DRAFT = `RateLimit-Policy: "daily";q=1000;w=86400
RateLimit: "daily";r=998;t=31337`

const ONCE = `curl -s -X POST "$REELGATE_URL/v1/video/$VIDEO_ID/playback-token" \\
  -H "x-service-key: $REELGATE_API_KEY" \\
  -H "Idempotency-Key: viewing-4711"`

const OTHERS = [
  { what: 'Lifetime of a playback token', value: '300 seconds' },
  { what: 'Length of an API key', value: '40 characters' },
  { what: 'Videos on one page', value: '1 to 500; all of them without limit and cursor' },
  { what: 'Idempotency-Key', value: '1 to 255 characters, remembered for 5 minutes' },
  { what: 'Request body', value: '64 KiB, and none is needed' },
]

/** Returns this service's upload limits, some of which the operator configures. */
function uploads() {
  const { MAX_UPLOAD_BYTES, MAX_VIDEO_HOURS, MAX_UNFINISHED_UPLOADS, UPLOAD_EXPIRY_HOURS, MAX_PENDING_VIDEOS, MAX_VIDEO_GIGAPIXELS } = env()
  return [
    { what: 'File', value: formatBytes(MAX_UPLOAD_BYTES) },
    { what: 'Length', value: `${MAX_VIDEO_HOURS} hours` },
    { what: 'Picture', value: '4096×2176 pixels, in either direction' },
    { what: 'Frames a second', value: formatCount(MAX_FRAME_RATE) },
    { what: 'Tracks in a file', value: formatCount(MAX_STREAMS) },
    { what: 'Frames times pixels', value: `${formatCount(MAX_VIDEO_GIGAPIXELS)} billion` },
    { what: 'Videos of an account that wait to be transcoded', value: formatCount(MAX_PENDING_VIDEOS) },
    { what: 'Unfinished uploads of an account', value: formatCount(MAX_UNFINISHED_UPLOADS) },
    { what: 'Their sizes together', value: formatBytes(defaultLimit('unfinishedBytes')) },
    { what: 'Videos of an account', value: formatCount(defaultLimit('videos')) },
    { what: 'Storage of an account', value: formatBytes(defaultLimit('storageBytes')) },
    { what: 'An unfinished upload is kept for', value: `${UPLOAD_EXPIRY_HOURS} hours after its last byte` },
  ]
}

export default function Limits() {
  return (
    <Guide href="/docs/limits" title="Limits" lead="One thing is counted: playback tokens, per API key and UTC day. Reading is free.">
      <Section id="quota" title="The daily quota">
        <Table
          label="Quotas by endpoint"
          rows={QUOTAS}
          keyOf={({ endpoint }) => endpoint}
          columns={[
            { title: 'Endpoint', cell: ({ endpoint }) => <code>{endpoint}</code>, phone: 'wide' },
            { title: 'Free tier', cell: ({ free }) => free },
            { title: 'Paid tier', cell: ({ paid }) => paid },
          ]}
        />
        <p>
          The day ends at UTC midnight. Only an issued token counts: a <a href="/docs/errors#VIDEO_NOT_FOUND">404</a>, a{' '}
          <a href="/docs/errors#VIDEO_NOT_READY">409</a> or a refusal takes nothing. Exactly the quota is issued, however many requests come
          at once. Each key has its own. On the paid tier the operator can raise a key’s quota; when credit or a spending cap ends, the free
          quota is left (see <a href="/docs/billing">Billing</a>).
        </p>
        <p>
          A rotated key and its successor share one daily quota. All keys of an account together, test keys and revoked ones included, issue
          at most {formatCount(env().ACCOUNT_FREE_TOKENS)} free tokens a day; beyond that <code>details.reason</code> of the 429 is{' '}
          <code>ACCOUNT_FREE_QUOTA</code>. Paid tokens and keys whose quota the operator set are not part of it.
        </p>
      </Section>
      <Section id="headers" title="Headers">
        <p>They stand on every answer of the token endpoint from the moment the key is known.</p>
        <Table
          label="Rate limit headers"
          rows={COUNTERS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Header', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => meaning, phone: 'wide' },
          ]}
        />
        <p>Beside them, for clients that read the IETF draft:</p>
        <Snippet label="Headers" code={DRAFT} />
      </Section>
      <Section id="exceeded" title="When it is used up">
        <p>
          The answer is 429 <a href="/docs/errors#RATE_LIMIT_EXCEEDED">RATE_LIMIT_EXCEEDED</a> with <code>X-RateLimit-Remaining: 0</code>{' '}
          and <code>Retry-After</code>. The quota is gone until midnight, so retrying before is of no use. Playback that has begun is not
          touched.
        </p>
      </Section>
      <Section id="retries" title="Retries that cost nothing">
        <p>
          If the connection breaks you cannot know whether a token was issued. With an <code>Idempotency-Key</code>, asking again within 5
          minutes for the same video gives the same token, for one unit of quota; <code>expiresIn</code> says how long it is still good.
        </p>
        <Snippet label="Shell" code={ONCE} />
      </Section>
      <Section id="uploads" title="Uploads">
        <p>What is larger is refused in words: a file before its first byte is sent, the rest when it has been read.</p>
        <p>
          Storage counts originals, renditions, posters, captions and unfinished uploads. A deleted video counts for 7 days, while it can be
          restored. The operator can raise these for one account; <a href="/docs/billing#api">GET /v1/billing/usage</a> says what holds.
          When the service has no room left, uploads pause with <a href="/docs/errors#STORAGE_FULL">STORAGE_FULL</a> and can be resumed
          later.
        </p>
        <Table
          label="Limits of uploads"
          rows={uploads()}
          keyOf={({ what }) => what}
          columns={[
            { title: 'What', cell: ({ what }) => what, phone: 'wide' },
            { title: 'At most', cell: ({ value }) => value, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="others" title="Other limits">
        <Table
          label="Other limits"
          rows={OTHERS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'What', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Limit', cell: ({ value }) => value, phone: 'wide' },
          ]}
        />
      </Section>
    </Guide>
  )
}
