import type { Metadata } from 'next'
import { HEADERS } from '#server/http/openapi-headers'
import { LIMITS } from '#server/limits'
import { defaultLimit } from '#server/modules/accounts/limit'
import { MAX_KEPT_BULK_VIDEOS } from '#server/modules/library/bulk-schema'
import { MAX_FRAME_RATE, MAX_GIGAPIXELS_AN_HOUR, MAX_STREAMS } from '#server/modules/transcoding/limits'
import { UNFINISHED_HOURS } from '#server/modules/uploads/bounds'
import { env } from '#server/platform/config'
import { formatBytes, formatCount } from '../../_ui/format'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Limits' }

const QUOTAS = [
  { endpoint: 'GET /v1/video', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/video/{videoId}', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'POST /v1/video/{videoId}/playback-token', free: '1,000 per day', paid: '0.5 credits per 1,000' },
  { endpoint: 'GET /v1/video/playback/manifest/{token}', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/billing/balance', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/video/{videoId}/processing', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/event', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'POST /v1/upload, /v1/video/import', free: 'unlimited', paid: 'unlimited' },
  { endpoint: '/v1/collection…', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'GET /v1/billing/usage', free: 'unlimited', paid: 'unlimited' },
  { endpoint: 'PATCH, DELETE, PUT /v1/video/{videoId}…', free: 'unlimited', paid: 'unlimited' },
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
  { what: 'Videos per page', value: '1 to 500. Without limit and cursor, all videos are returned' },
  { what: 'Idempotency-Key', value: '1 to 255 characters, stored for 5 minutes; for uploads, 24 hours' },
  { what: 'Lifetime of an upload URL', value: '1 minute to 7 days, 24 hours by default' },
  { what: 'Time for an import from a URL, redirects of that URL', value: '24 hours, 5' },
  { what: 'Request body', value: '64 KiB of JSON' },
  { what: 'Captions, poster', value: '2,000,000 characters, 2 MB' },
  { what: 'Languages of captions per video', value: '40' },
  { what: 'Requests that wait for events, file exports of an account at once', value: '20, 4 in each server process' },
  { what: 'Poster uploads per account', value: '10 at once, then one every 10 seconds' },
]

/** Returns this service's upload limits, some of which the operator configures. */
function uploads() {
  const { MAX_UPLOAD_BYTES, MAX_VIDEO_HOURS, MAX_UNFINISHED_UPLOADS, MAX_PENDING_VIDEOS } = env()
  return [
    { what: 'File size', value: formatBytes(MAX_UPLOAD_BYTES) },
    { what: 'Duration', value: `${MAX_VIDEO_HOURS} hours` },
    { what: 'Resolution', value: '4096×2176 pixels, landscape or portrait' },
    { what: 'Frames per second', value: formatCount(MAX_FRAME_RATE) },
    { what: 'Tracks per file', value: formatCount(MAX_STREAMS) },
    { what: 'Pixels of all frames', value: `${formatCount(MAX_VIDEO_HOURS * MAX_GIGAPIXELS_AN_HOUR)} billion` },
    { what: 'Videos per account waiting for transcoding', value: formatCount(MAX_PENDING_VIDEOS) },
    { what: 'Unfinished uploads per account', value: formatCount(MAX_UNFINISHED_UPLOADS) },
    { what: 'Total size of unfinished uploads per account', value: formatBytes(defaultLimit('unfinishedBytes')) },
    { what: 'Videos per account', value: formatCount(defaultLimit('videos')) },
    { what: 'Storage per account', value: formatBytes(defaultLimit('storageBytes')) },
    { what: 'MP4 files kept for downloads per account', value: formatBytes(defaultLimit('downloadBytes')) },
    { what: 'Retention of an unfinished upload', value: `${UNFINISHED_HOURS} hours after its last byte` },
  ]
}

/** Limits of rows, which the operator can change for one account. */
const ROWS = (['metadataBytes', 'eventBytes', 'auditBytes', 'auditDayBytes'] as const).map((name) => ({
  what: LIMITS[name].title,
  value: formatBytes(defaultLimit(name)),
  counts: LIMITS[name].description,
}))

export default function Limits() {
  return (
    <Guide href="/docs/limits" title="Limits" lead="Playback tokens are counted per API key and UTC day. All other requests are free.">
      <Section id="quota" title="Daily quota">
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
          The quota resets at midnight UTC. Only issued tokens count: errors such as <a href="/docs/errors#VIDEO_NOT_FOUND">404</a> and{' '}
          <a href="/docs/errors#VIDEO_NOT_READY">409</a> do not. The quota is exact, also with concurrent requests. Each key has its own
          quota. On the paid tier, the operator can raise the quota of a key. When credit runs out or a spending cap is reached, the free
          quota applies (see <a href="/docs/billing">Billing</a>).
        </p>
        <p>
          A rotated key and its successor share one daily quota. All keys of an account together, including test keys and revoked keys, can
          issue {formatCount(env().ACCOUNT_FREE_TOKENS)} free tokens per day. Above this limit, requests fail with 429 and{' '}
          <code>details.reason</code> is <code>ACCOUNT_FREE_QUOTA</code>. Paid tokens and keys with a quota set by the operator do not count
          toward it.
        </p>
      </Section>
      <Section id="headers" title="Rate limit headers">
        <p>Every response of the token endpoint to a valid key contains these headers.</p>
        <Table
          label="Rate limit headers"
          rows={COUNTERS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Header', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => meaning, phone: 'wide' },
          ]}
        />
        <p>Responses also contain the headers of the IETF draft:</p>
        <Snippet label="Headers" code={DRAFT} />
      </Section>
      <Section id="exceeded" title="When the quota is exceeded">
        <p>
          The response is 429 <a href="/docs/errors#RATE_LIMIT_EXCEEDED">RATE_LIMIT_EXCEEDED</a> with <code>X-RateLimit-Remaining: 0</code>{' '}
          and <code>Retry-After</code>. Do not retry before the quota resets at midnight UTC. Playback that has started continues.
        </p>
      </Section>
      <Section id="retries" title="Idempotent retries">
        <p>
          If a connection fails, you cannot know whether a token was issued. Send an <code>Idempotency-Key</code>: repeating the request for
          the same video within 5 minutes returns the same token with the header <code>Idempotent-Replayed: true</code>, and counts once.
          The same value for another video is refused with <a href="/docs/errors#IDEMPOTENCY_KEY_REUSED">IDEMPOTENCY_KEY_REUSED</a>.{' '}
          <code>expiresIn</code> is the remaining lifetime of the token.
        </p>
        <Snippet label="Shell" code={ONCE} />
      </Section>
      <Section id="uploads" title="Uploads">
        <p>
          Uploads above these limits are rejected with an error message. The file size is checked before the upload, the other limits when
          the file is processed.
        </p>
        <p>
          Storage includes originals, renditions, posters, captions and unfinished uploads. A deleted video counts for 7 days, while it can
          be restored. The operator can change these limits for an account. <a href="/docs/billing#api">GET /v1/billing/usage</a> returns
          the current limits. When the service runs out of storage, uploads pause with <a href="/docs/errors#STORAGE_FULL">STORAGE_FULL</a>{' '}
          and can be resumed later.
        </p>
        <Table
          label="Upload limits"
          rows={uploads()}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Limit', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Maximum', cell: ({ value }) => value, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="rows" title="Texts, events and audit log">
        <p>
          These limits apply per account; <a href="/usage">Usage</a> shows what is used. Above them, longer texts, new uploads, samples and
          replays, or changes are refused with 429 <a href="/docs/errors#TOO_MANY_ATTEMPTS">TOO_MANY_ATTEMPTS</a>, and{' '}
          <code>details.limit</code> names the limit. Events of what happened, sign-ins, revocations and deletions are always stored. The
          operator can change these limits for an account.
        </p>
        <Table
          label="Limits of rows"
          rows={ROWS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Limit', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Maximum', cell: ({ value }) => value, phone: 'wide' },
            { title: 'What counts', cell: ({ counts }) => counts, phone: 'wide' },
          ]}
        />
        <p>
          An entry of the audit log holds the values that changed. Texts of more than 4,000 characters together are cut, with a note of the
          length and the SHA-256 of the whole text. Bulk actions of an account can have {formatCount(MAX_KEPT_BULK_VIDEOS)} videos within 30
          days.
        </p>
      </Section>
      <Section id="others" title="Other limits">
        <Table
          label="Other limits"
          rows={OTHERS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Limit', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Value', cell: ({ value }) => value, phone: 'wide' },
          ]}
        />
      </Section>
    </Guide>
  )
}
