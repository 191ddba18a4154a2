import type { Metadata } from 'next'
import { REFUSALS_FOR_ONE } from '#server/modules/analytics/sample'
import { HOURLY_DAYS, HOURS_KEPT_DAYS, LOG_DAYS } from '#server/modules/analytics/schema'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Usage and the request log' }

const PER_SECOND = 20

const CHECKS = [
  { name: 'Route', asks: 'Is there an endpoint at this address, does it take the method, is the body small enough?' },
  {
    name: 'Key',
    asks: 'Was a key sent, is it known, does it work, may it be used from this address? On the exchange: Token, in its place.',
  },
  { name: 'Scope', asks: 'Has the key the scope that the endpoint needs?' },
  { name: 'Input', asks: 'Can the parameters and headers have these values?' },
  { name: 'Ownership', asks: 'Does the video exist, in this account?' },
  { name: 'State', asks: 'Is the video COMPLETED?' },
  { name: 'Quota', asks: 'Is there quota, and on the paid tier credit, for another token?' },
]

const STORED = [
  { what: 'Request id, time, time it took', note: 'Measured inside of the service, until the answer is ready to be sent' },
  {
    what: 'Method, path, query',
    note: 'The token of an exchange is left out; anything that looks like a key or a token is cut to its prefix',
  },
  { what: 'Status, error code, details', note: 'Details as the answer had them, without secrets' },
  { what: 'Key id, token id', note: 'Never the value of a key, never a token' },
  { what: 'Network address, user agent', note: 'Of whoever called' },
  { what: 'Response headers', note: 'Rate limit, Retry-After, ETag, Allow, caching and content type' },
]

const ID = `curl -i "$REELGATE_URL/v1/video/vid_typo" -H "x-service-key: $REELGATE_API_KEY"
# HTTP/1.1 404 Not Found
# X-Request-Id: req_Vb0dRr1gB7Jm2`

export default function RequestLog() {
  return (
    <Guide
      href="/docs/request-log"
      title="Usage and the request log"
      lead={`The dashboard counts every call, and keeps calls of the last ${LOG_DAYS} days with the reason for each answer.`}
    >
      <Section id="why" title="Why a call failed">
        <p>
          Every answer carries an <code>X-Request-Id</code>; errors repeat it in <code>error.requestId</code>. Paste it into the search of{' '}
          <a href="/requests">Requests</a> in the dashboard, or open <code>/requests/&lt;request id&gt;</code>: it shows what was checked,
          in order, and which check failed, with its cause and what ends it.
        </p>
        <Snippet label="Shell" code={ID} />
        <Table
          label="Checks in order"
          rows={CHECKS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Check', cell: ({ name }) => name },
            { title: 'What it asks', cell: ({ asks }) => asks, phone: 'wide' },
          ]}
        />
        <p>
          Calls with a key that is revoked, expired or disabled are in the log too, though they are counted nowhere; so are calls to an
          address that does not exist, if a key of yours came with them. A call whose key was never known here belongs to nobody and is in
          no log.
        </p>
      </Section>
      <Section id="stored" title="What is stored">
        <Table
          label="What is stored"
          rows={STORED}
          keyOf={({ what }) => what}
          columns={[
            { title: 'What', cell: ({ what }) => what, phone: 'wide' },
            { title: 'How', cell: ({ note }) => note, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="sampling" title="How calls are chosen">
        <p>
          All calls are kept while there are few. Of more than {PER_SECOND} successful calls of an account in a second, {PER_SECOND} are
          kept, each with the same chance; a row then says for how many it stands, for example “1 in 8”. Refusals and errors are kept all:
          up to {PER_SECOND * REFUSALS_FOR_ONE} in a second one by one, and beyond that counted by key, error and endpoint, with the last of
          each kind in full and the number beside it, for example “× 37”. The limits hold for each process of the service; its operator can
          set them with <code>REQUEST_LOG_PER_SECOND</code>. Losing a row never fails a call.
        </p>
      </Section>
      <Section id="usage" title="Usage">
        <p>
          <a href="/usage">Usage</a> counts every call that was made with a known key, and every exchange of a token for one of your videos,
          by UTC day; ranges of up to {HOURLY_DAYS} days in the last {HOURS_KEPT_DAYS} are shown by the hour. Nothing there is sampled.
          Counts are written once a second: a process that is killed loses those of its last second, but no token issued, since the quota is
          written before a token is given out. What the page shows can be saved as CSV.
        </p>
      </Section>
    </Guide>
  )
}
