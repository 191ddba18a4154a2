import type { Metadata } from 'next'
import { Guide, Section } from '../../_parts/Guide'
import { Marked } from '../../_parts/Marked'
import { ObjectSection } from '../_parts/ObjectSection'
import { schemaNamed, WEBHOOKS } from '../_parts/operations'

export const metadata: Metadata = { title: 'Webhook events' }

export default function WebhookReference() {
  return (
    <Guide
      href="/docs/reference/webhooks"
      title="Webhook events"
      lead="The requests that the service sends to your endpoints, one section for each event."
      wide
    >
      <Section id="delivery" title="Delivery">
        <p>
          Each event is a <code>POST</code> with a JSON body. The header <code>X-Service-Signature</code> is{' '}
          <code>t=&lt;Unix seconds&gt;,v1=&lt;hex&gt;</code>: the HMAC-SHA256 of the seconds, a dot and the raw body, with the signing
          secret as the key. Any response other than 2xx, and none within 10 seconds, is a failure that is retried. For receivers in several
          languages, see <a href="/docs/webhooks">Webhooks</a>.
        </p>
      </Section>
      {WEBHOOKS.map(({ type, schema, description }) => (
        <Section key={type} id={type} title={<code>{type}</code>}>
          {description !== schemaNamed(schema).description && (
            <p>
              <Marked>{description}</Marked>
            </p>
          )}
          <ObjectSection name={schema} />
        </Section>
      ))}
    </Guide>
  )
}
