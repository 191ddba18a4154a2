import type { Metadata } from 'next'
import { Marked } from '../../../_ui/Marked'
import { Guide, Section } from '../../_parts/Guide'
import { ObjectSection } from '../_parts/ObjectSection'
import { schemaNamed, WEBHOOKS } from '../_parts/operations'

export const metadata: Metadata = { title: 'Webhook events' }

export default function WebhookReference() {
  return (
    <Guide href="/docs/reference/webhooks" lead="Read the payload of each event that we send to your endpoints." wide>
      <Section id="delivery" title="Delivery">
        <p>
          We send each event as a <code>POST</code> with a JSON body. The header <code>X-Service-Signature</code> is{' '}
          <code>t=&lt;Unix seconds&gt;,v1=&lt;hex&gt;</code>: the HMAC-SHA256 of the seconds, a dot and the raw body, with the signing
          secret as the key. Respond with 2xx within 10 seconds; we retry after any other response, or none. For receivers in several
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
