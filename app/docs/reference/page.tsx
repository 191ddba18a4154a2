import type { Metadata } from 'next'
import { env } from '#server/platform/config/config'
import { SCOPES } from '#server/scopes'
import { Marked } from '../../_ui/Marked'
import { Guide, Section } from '../_parts/Guide'
import { REFERENCE } from '../_parts/pages'
import { Snippet } from '../_parts/Snippet'
import { Terms } from '../_parts/Terms'
import { ErrorList } from './_parts/ErrorList'
import { Fields } from './_parts/Fields'
import { fieldOf, fieldsOf } from './_parts/fields'
import { COMMON_ERRORS, HEADERS, INFO, OPERATIONS, schemaNamed, slugOf } from './_parts/operations'

export const metadata: Metadata = { title: 'API reference' }

const ENVELOPE = `{ "success": true, "data": … }

{ "success": false, "error": { "code": "VIDEO_NOT_FOUND", … } }`

const addressIn = (tag: string, operationId: string) => `${REFERENCE}/${slugOf(tag)}#${operationId}`
const scopes = Object.entries(SCOPES).map(([name, { opens }]) => [`\`${name}\``, opens])

const operations = OPERATIONS.map(({ operationId, tags, summary, method, path }) => [
  <a key={operationId} href={addressIn(tags[0] as string, operationId)}>
    {summary}
  </a>,
  `\`${method} ${path}\``,
])

export default function Reference() {
  return (
    <Guide href={REFERENCE} title="API reference" lead={INFO.summary}>
      <Section id="base-url" title="Base URL">
        <Snippet label="Base URL" code={env().BASE_URL} />
        <p>
          The <a href="/v1/openapi.json">OpenAPI 3.1 description</a> of this installation is at <code>/v1/openapi.json</code>. The examples
          read your key from the variable <code>REELGATE_API_KEY</code>, and the TypeScript client reads the base URL from{' '}
          <code>REELGATE_URL</code>.
        </p>
      </Section>
      <Section id="authentication" title="Authentication">
        <p>
          Create an API key in the dashboard, and send it in the header <code>x-service-key</code>. Keys are for servers only; see{' '}
          <a href="/docs/authentication">Authentication</a>. A key has one or more scopes:
        </p>
        <Terms label="Scopes" heads={['Scope', 'Permits']} rows={scopes} />
      </Section>
      <Section id="responses" title="Responses">
        <Snippet label="Envelope" code={ENVELOPE} />
        {INFO.description.split('\n\n').map((text) => (
          <p key={text}>
            <Marked>{text}</Marked>
          </p>
        ))}
      </Section>
      <Section id="errors" title="Errors">
        <p>
          The response to a failed request has a status of 400 or above, and an <code>error</code> with these values.{' '}
          <a href="/docs/errors">Errors</a> lists the cause and the fix of every code.
        </p>
        <Fields fields={fieldsOf(schemaNamed('ApiError'))} label="Values of an error" />
      </Section>
      <Section id="common-errors" title="Common errors">
        <p>Every operation that requires a key can return these. Its section lists the other errors it can return.</p>
        <ErrorList codes={COMMON_ERRORS} />
      </Section>
      <Section id="headers" title="Response headers">
        <Fields
          label="Response headers"
          fields={Object.entries(HEADERS).map(([name, { description, schema }]) => fieldOf(name, { ...schema, description }, false))}
        />
      </Section>
      <Section id="operations" title="All operations">
        <Terms label="Operations" heads={['Operation', 'Request']} rows={operations} />
      </Section>
    </Guide>
  )
}
