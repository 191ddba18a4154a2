import type { Metadata } from 'next'
import Link from 'next/link'
import { EVENT_TYPES, EVENTS } from '#server/events'
import { DELAYS_SEC, FAILING_DAYS, MAX_ATTEMPTS, OVERLAP_HOURS } from '#server/modules/webhooks/state'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Languages } from '../_parts/Languages'
import { Snippet } from '../_parts/Snippet'
import { RECEIVERS, readReceiver } from './_parts/receivers'

export const metadata: Metadata = { title: 'Webhooks' }

const REQUEST = `POST /hooks/reelgate HTTP/1.1
Content-Type: application/json
X-Service-Signature: t=1795255392,v1=6a1c…e09f

${JSON.stringify(
  {
    eventId: 'evt_7NcYvQ2mTqGkD4xJrW9bLa',
    eventType: 'video.processing.completed',
    createdAt: '2026-11-21T09:03:12.000Z',
    data: EVENTS['video.processing.completed'].sample,
  },
  null,
  2,
)}`

const STRIPE = `import Stripe from 'stripe'

const event = Stripe.webhooks.constructEvent(rawBody, request.headers['x-service-signature'], process.env.WEBHOOK_SECRET)`

const LISTEN = `npm install --save-dev ./reelgate-sdk-0.1.0.tgz   # once: see the guide of the SDK
export REELGATE_URL=https://video.example.com
export REELGATE_API_KEY=ak_test_…            # with the scope webhook:read
npx -p @reelgate/sdk reelgate listen --forward-to http://localhost:4000/hooks

# in another terminal
npx -p @reelgate/sdk reelgate trigger video.processing.completed`

const delays = `${DELAYS_SEC.slice(0, -1).join(', ')} and ${DELAYS_SEC.at(-1)}`
const types = EVENT_TYPES.map((type) => ({ type, fires: EVENTS[type].fires, fields: Object.keys(EVENTS[type].data.shape) }))

export default function Webhooks() {
  return (
    <Guide
      href="/docs/webhooks"
      title="Webhooks"
      lead="Your server hears what happens as it happens, instead of asking every 10 to 30 seconds."
    >
      <Section id="start" title="Register a receiver">
        <p>
          In the dashboard, under Webhooks, add an endpoint: an https address of yours, the events it wants, and a description. Its signing
          secret (<code>whsec_…</code>) is shown once. Each event is sent to it as a POST.
        </p>
        <Snippet label="What arrives" code={REQUEST} />
        <p>
          Answer 2xx within 10 seconds, body included; the body does not matter, an empty one is best. Whatever takes longer belongs in a
          queue of yours, after the answer.
        </p>
      </Section>
      <Section id="events" title="Events">
        <Table
          label="Event types"
          rows={types}
          keyOf={({ type }) => type}
          columns={[
            { title: 'Type', cell: ({ type }) => <code style={{ overflowWrap: 'normal' }}>{type}</code>, phone: 'wide' },
            { title: 'When', cell: ({ fires }) => <span style={{ whiteSpace: 'normal' }}>{fires}</span>, phone: 'wide' },
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
          The payload is a snapshot: it says how things stood at <code>createdAt</code>, however late it is delivered. Amounts of credits
          are decimal strings. A video that is retried from the dashboard begins anew, with events of its own. More fields and types may
          come: ignore those you do not know.
        </p>
      </Section>
      <Section id="signatures" title="Signatures">
        <p>
          Anybody can send a request to your address. <code>X-Service-Signature</code> tells which are ours: <code>t</code> is the time in
          Unix seconds, <code>v1</code> the HMAC-SHA256, in hexadecimal, of that time, a dot, and the raw body, with the whole signing
          secret as its key. Compare in constant time, over the bytes as they came, and refuse what is older than five minutes.
        </p>
        <Languages
          programs={RECEIVERS.map(({ language, file }) => ({ language, program: <Snippet label={language} code={readReceiver(file)} /> }))}
        />
        <p>It is the scheme of Stripe and Mux, so what they publish verifies it too:</p>
        <Snippet label="Node" code={STRIPE} />
        <p>
          Rotating a secret, on the endpoint’s page, gives a new one. For {OVERLAP_HOURS} hours each request carries two <code>v1</code>,
          one with each; the programs above accept either.
        </p>
      </Section>
      <Section id="retries" title="Retries">
        <p>
          Anything but a 2xx in time is a failure, redirects included. A failed delivery is tried again {delays} seconds after the failure
          before; after {MAX_ATTEMPTS} attempts it is a dead letter. A <code>Retry-After</code> of yours puts the next try off, by{' '}
          {DELAYS_SEC.at(-1)} seconds at most. An answer of 410 disables the endpoint at once; one to which every delivery failed for{' '}
          {FAILING_DAYS} days is disabled as well, and its owners get a mail. While an account is suspended its deliveries wait; they are
          sent once it is restored.
        </p>
        <p>
          The endpoint’s page shows each attempt with its request, its response and how long it took. There a delivery can be replayed, or
          all that failed or were missed since a moment of your choice. The event log holds everything that happened, whether an endpoint
          was there or not.
        </p>
      </Section>
      <Section id="once" title="At least once, in any order">
        <p>
          An event is delivered at least once: when your answer is lost on its way, it comes again, under the same <code>eventId</code>.
          Keep the ids that you have seen, and leave what you have seen before. A replay keeps the id too.
        </p>
        <p>
          Order is not promised: a retry can arrive after what happened later. Go by <code>createdAt</code>, or read the video anew with{' '}
          <code>GET /v1/video/{'{videoId}'}</code>.
        </p>
      </Section>
      <Section id="development" title="On your own machine">
        <p>
          A machine without a public address can listen too. <code>npx -p @reelgate/sdk reelgate listen</code> follows your account’s events
          and sends them on, signed with a secret of the session that it prints. <code>npx -p @reelgate/sdk reelgate trigger</code> fires a
          sample of any type for those who listen; registered endpoints do not get it. The command comes with the package{' '}
          <Link href="/docs/sdk">@reelgate/sdk</Link>: install that in your project first. In a checkout of Reelgate it is there already.
        </p>
        <Snippet label="Shell" code={LISTEN} />
        <p>“Send test event” on an endpoint’s page sends the sample of any type to that endpoint, delivered and retried as any other.</p>
      </Section>
      <Section id="addresses" title="Which addresses">
        <p>
          https only, and public addresses only: what leads to a private, loopback, link-local or otherwise reserved address is refused when
          it is connected to, whatever its name said before. Whoever runs this service can allow named hosts for development (
          <code>WEBHOOK_ALLOWED_HOSTS</code>), also by http.
        </p>
      </Section>
    </Guide>
  )
}
