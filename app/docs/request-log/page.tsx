import type { Metadata } from 'next'
import { HOURLY_DAYS, HOURS_KEPT_DAYS, LOG_DAYS } from '#server/modules/analytics/limits'
import { LOGGED_PER_SECOND, REFUSALS_FOR_ONE } from '#server/modules/analytics/sample'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Usage and request log' }

const CHECKS = [
  { name: 'Route', asks: 'The path and method match an endpoint, and the body is within the size limit.' },
  {
    name: 'Key',
    asks: 'The request has a valid, active key that is allowed from this IP address. For a manifest exchange, the token is checked instead.',
  },
  { name: 'Scope', asks: 'The key has the scope that the endpoint requires.' },
  { name: 'Input', asks: 'Parameters and headers are valid.' },
  { name: 'Ownership', asks: 'The video exists in this account.' },
  { name: 'State', asks: 'The status of the video is COMPLETED.' },
  { name: 'Quota', asks: 'The key has quota left for a token and, on the paid tier, the account has credit.' },
]

const STORED = [
  { what: 'Request ID, time, duration', note: 'The duration is measured in the service, until the response is ready to be sent' },
  {
    what: 'Method, path, query',
    note: 'The token of an exchange is removed. Anything that looks like a key or a token is truncated to its prefix',
  },
  { what: 'Status, error code, details', note: 'Details as in the response, without secrets' },
  { what: 'Key ID, token ID', note: 'Keys and tokens themselves are never stored' },
  { what: 'IP address, user agent', note: 'Of the caller' },
  { what: 'Response headers', note: 'Rate limits, Retry-After, ETag, Allow, caching and content type' },
]

const ID = `curl -i "$REELGATE_URL/v1/video/vid_typo" -H "x-service-key: $REELGATE_API_KEY"
# HTTP/1.1 404 Not Found
# X-Request-Id: req_Vb0dRr1gB7Jm2`

export default function RequestLog() {
  return (
    <Guide
      href="/docs/request-log"
      title="Usage and request log"
      lead={`The dashboard counts every API request, and shows requests of the last ${LOG_DAYS} days with the reason for each response.`}
    >
      <Section id="why" title="Find out why a request failed">
        <p>
          Every response has an <code>X-Request-Id</code> header. Errors also contain it in <code>error.requestId</code>. Search for the ID
          under <a href="/requests">Requests</a> or with ⌘K (Ctrl K) in the dashboard, or open <code>/requests/&lt;request ID&gt;</code>.
          The page lists the checks in order and shows which check failed, the cause and how to fix it.
        </p>
        <Snippet label="Shell" code={ID} />
        <Table
          label="Checks in order"
          rows={CHECKS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Check', cell: ({ name }) => name },
            { title: 'Passes when', cell: ({ asks }) => asks, phone: 'wide' },
          ]}
        />
        <p>
          The log also contains requests with a revoked, expired or disabled key, and requests with your key to a path that does not exist.
          Neither counts as usage, so the exact counts above the log do not include them. Requests with an unknown key are not logged.
        </p>
      </Section>
      <Section id="stored" title="What is stored">
        <Table
          label="What is stored"
          rows={STORED}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Data', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Notes', cell: ({ note }) => note, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="sampling" title="Sampling">
        <p>
          Up to {LOGGED_PER_SECOND} successful requests of an account per second are all logged. Above that rate, {LOGGED_PER_SECOND} per
          second are sampled at random, and each row shows the sampling rate, for example “1 in 8”. Errors are all logged: up to{' '}
          {LOGGED_PER_SECOND * REFUSALS_FOR_ONE} per second as separate rows. Above that rate, they are grouped by key, error and endpoint,
          and each row shows the latest request and the count, for example “× 37”. The rates apply to each process of the service. A request
          never fails because it could not be logged.
        </p>
      </Section>
      <Section id="usage" title="Usage">
        <p>
          <a href="/usage">Usage</a> counts every request with a valid key, and every token exchange for your videos, by UTC day. Ranges of
          up to {HOURLY_DAYS} days within the last {HOURS_KEPT_DAYS} days are shown by hour. Usage is not sampled. Counts are written once
          per second. A process that is killed loses the counts of its last second. Issued tokens are never lost, because the quota is
          written before a token is issued. You can export the page as CSV. Requests, tokens and plays of a period are the same numbers on
          every page: the overview, usage, the page of a key or a video, the file, and the pages of support. A key’s page has the requests
          with that key; token exchanges have no key.
        </p>
      </Section>
      <Section id="ranges" title="Ranges">
        <p>
          Every page with a period has the same choice of a range: named ranges such as “Last 30 days” and “Last month”, and a custom range,
          typed or chosen in a calendar. The address holds the name, so a bookmark or a saved filter of a named range moves with the date.
          Days begin at midnight UTC on every page, because counts are kept by UTC day; they are not converted to your time zone.
        </p>
      </Section>
      <Section id="charts" title="Read the charts">
        <p>
          Bars are counts, lines are rates and response times. Every axis begins at zero. A day without requests is a zero in a count, and a
          gap in a rate or a response time. The bar of a day or an hour that still runs is hatched, and its line is dashed. The faint line
          is the period of the same length before. The percentage compares finished days or hours only: a day that has only begun is left
          out on both sides. “Error rate” is the share of requests with a status of 400 or above.
        </p>
        <p>
          Point at a chart to read exact numbers, or show it as a table. Click a bar, or drag over several, to open their requests in the
          log, as far back as it goes. With a keyboard, arrow keys read the values, Shift selects several, and Enter opens them.
        </p>
      </Section>
      <Section id="pace" title="Quota and its pace">
        <p>
          The bar of a quota fills with the tokens that count against it since midnight UTC. From a tenth on, it says when the quota is used
          up if the day goes on at its average pace so far. There is no such time when the quota lasts the day.
        </p>
      </Section>
      <Section id="filters" title="Filter, count and export the log">
        <p>
          The log is filtered by key, endpoint, status, video, time, and address: a whole address, or a network such as{' '}
          <code>203.0.113.0/24</code>. The search takes a whole ID, or at least three characters of a path, an address or a user agent. The
          numbers above the list are exact and not sampled: they count the requests with each status in the whole UTC hours that the range
          touches. They exist for keys and endpoints, not for a video, an address or a text. “Export CSV” downloads all rows of the filter;{' '}
          <code>requests_represented</code> is the number of requests that a row represents.
        </p>
      </Section>
    </Guide>
  )
}
