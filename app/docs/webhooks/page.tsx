import type { Metadata } from 'next'
import { EVENT_TYPES, EVENTS } from '#server/events'
import { SAMPLE_DAYS } from '#server/modules/webhooks/purge'
import { sampleEvent } from '#server/modules/webhooks/schema'
import { attemptsOf, DELAYS_SEC, FAILING_DAYS, MAX_ATTEMPTS, OVERLAP_HOURS } from '#server/modules/webhooks/state'
import { SDK_FILE } from '#server/platform/sdk-file'
import { Link } from '../../_ui/Link'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Languages } from '../_parts/Languages'
import { Snippet } from '../_parts/Snippet'
import { RECEIVERS, readReceiver } from './_parts/receivers'

export const metadata: Metadata = { title: 'Webhooks' }

const REQUEST = `POST /hooks/reelgate HTTP/1.1
Content-Type: application/json
X-Service-Signature: t=1795255392,v1=6a1c…e09f

${JSON.stringify(sampleEvent('video.processing.completed'), null, 2)}`

const STRIPE = `import Stripe from 'stripe'

const event = Stripe.webhooks.constructEvent(rawBody, request.headers['x-service-signature'], process.env.WEBHOOK_SECRET)`

const LISTEN = `export REELGATE_URL=https://video.example.com
export REELGATE_API_KEY=ak_test_…                  # with the scope webhook:read
npm install --save-dev "$REELGATE_URL/${SDK_FILE}"     # once
npx -p @reelgate/sdk reelgate listen --forward-to http://localhost:4000/hooks

# in another terminal
npx -p @reelgate/sdk reelgate trigger video.processing.completed`

const delays = `${DELAYS_SEC.slice(0, -1).join(', ')} and ${DELAYS_SEC.at(-1)}`
const types = EVENT_TYPES.map((type) => ({ type, fires: EVENTS[type].fires, fields: Object.keys(EVENTS[type].data.shape) }))

export default function Webhooks() {
  return (
    <Guide href="/docs/webhooks" title="Webhooks" lead="Receive events on your server as they happen, instead of polling.">
      <Section id="start" title="Add an endpoint">
        <p>
          In the dashboard, under <b>Webhooks</b>, add an endpoint with an https URL, the events to send and a description. The signing
          secret (<code>whsec_…</code>) is shown once. Each event is sent to the endpoint as a POST request.
        </p>
        <Snippet label="Request" code={REQUEST} />
        <p>
          Respond with 2xx within 10 seconds, including the response body. An empty body is sufficient. If processing takes longer, add the
          event to a queue and respond first.
        </p>
      </Section>
      <Section id="events" title="Events">
        <Table
          label="Event types"
          rows={types}
          keyOf={({ type }) => type}
          columns={[
            { title: 'Type', cell: ({ type }) => <code style={{ overflowWrap: 'normal' }}>{type}</code>, phone: 'wide' },
            { title: 'Sent when', cell: ({ fires }) => <span style={{ whiteSpace: 'normal' }}>{fires}</span>, phone: 'wide' },
            {
              title: 'data',
              cell: ({ fields }) => (
                <span style={{ whiteSpace: 'normal' }}>
                  {fields.map((field) => (
                    <code key={field}>{field} </code>
                  ))}
                </span>
              ),
              phone: 'wide',
            },
          ]}
        />
        <p>
          The payload is a snapshot of the state at <code>createdAt</code>, independent of the delivery time. Credit amounts are decimal
          strings. When you retry a video in the dashboard, its processing starts again and sends new events. New fields and event types can
          be added: ignore unknown ones. <code>id</code> and <code>type</code> repeat <code>eventId</code> and <code>eventType</code>, for
          tools that expect the names of Stripe.
        </p>
      </Section>
      <Section id="signatures" title="Signatures">
        <p>
          Verify the header <code>X-Service-Signature</code> to make sure that a request comes from Reelgate. <code>t</code> is the time in
          Unix seconds. <code>v1</code> is the hexadecimal HMAC-SHA256 of that time, a dot and the raw body, with the full signing secret as
          the key. Use the raw bytes of the body, compare in constant time, and reject requests whose time is more than five minutes before
          or after yours.
        </p>
        <Languages
          programs={RECEIVERS.map(({ language, file }) => ({ language, program: <Snippet label={language} code={readReceiver(file)} /> }))}
        />
        <p>Stripe and Mux use the same scheme, so their libraries can verify the signature too:</p>
        <Snippet label="Node" code={STRIPE} />
        <p>
          To replace the secret, rotate it on the page of the endpoint. For {OVERLAP_HOURS} hours, each request has two <code>v1</code>{' '}
          values, one for each secret. The programs above accept either.
        </p>
      </Section>
      <Section id="retries" title="Retries">
        <p>
          Every response other than 2xx, including redirects, and every timeout is a failure. A failed delivery is retried {delays} seconds
          after the previous failure. After {MAX_ATTEMPTS} attempts, it becomes a dead letter. If your response has a{' '}
          <code>Retry-After</code> header, the next attempt is delayed by up to {DELAYS_SEC.at(-1)} seconds.
        </p>
        <p>
          An endpoint can choose a longer schedule, of a day ({attemptsOf('day')} attempts) or three ({attemptsOf('threeDays')}). It begins
          with the same delays, and continues after 30 minutes, 1, 2 and 4 hours, and then every 8 hours, which is also the longest{' '}
          <code>Retry-After</code> that it respects. To send a pending delivery before its time, open it on the page of the endpoint and
          choose <b>Retry now</b>.
        </p>
        <p>
          A 410 response disables the endpoint immediately. An endpoint is also disabled when all deliveries fail for {FAILING_DAYS} days,
          and the owners receive an email. While an account is suspended, deliveries pause. They are sent when the account is restored.
        </p>
        <p>
          The page of the endpoint shows the request, response and latency of each attempt. You can replay one delivery, or all failed and
          missed deliveries since a given time. The event log contains all events, including those sent to no endpoint.
        </p>
      </Section>
      <Section id="once" title="Delivery guarantees">
        <p>
          Events are delivered at least once. If your response is lost, the event is sent again with the same <code>eventId</code>. Store
          the IDs of processed events and ignore duplicates. A replay has the same ID.
        </p>
        <p>
          Events can arrive out of order: a retry can arrive after a later event. Compare <code>createdAt</code>, or read the current state
          with <code>GET /v1/video/{'{videoId}'}</code>.
        </p>
      </Section>
      <Section id="development" title="Develop locally">
        <p>
          You can receive events on a machine without a public address. <code>npx -p @reelgate/sdk reelgate listen</code> forwards the
          events of your account and signs them with a secret that it prints. The account has one such secret, so it is the same in each
          session and with each of its API keys. <code>npx -p @reelgate/sdk reelgate trigger</code> sends a sample event of any type to
          active listeners, but not to endpoints. To use the commands, install the package <Link href="/docs/sdk">@reelgate/sdk</Link> in
          your project. A checkout of Reelgate already includes it.
        </p>
        <Snippet label="Shell" code={LISTEN} />
        <p>
          To send a sample event of any type to one endpoint, select “Send test event” on its page. It is delivered and retried like any
          other event. Sample events are kept for {SAMPLE_DAYS} days.
        </p>
      </Section>
      <Section id="addresses" title="Allowed addresses">
        <p>
          Endpoints must use https and a public IP address. Connections to private, loopback, link-local and other reserved addresses are
          rejected, also if the DNS entry changes later. For development, the operator can allow specific hosts, including http, with{' '}
          <code>WEBHOOK_ALLOWED_HOSTS</code>.
        </p>
      </Section>
    </Guide>
  )
}
