import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Versioning' }

const CONFORMANCE = `npm run conformance -- --base-url "$REELGATE_URL" --key "$REELGATE_API_KEY" --report report.json`

export default function Versioning() {
  return (
    <Guide href="/docs/versioning" title="Versioning" lead="The API version is in the path. Integrations with /v1 keep working.">
      <Section id="stable" title="What does not change within /v1">
        <ul>
          <li>Paths, methods and the meaning of parameters.</li>
          <li>Names, types and meaning of response fields. Fields are not removed.</li>
          <li>Status and code of errors, and the order of checks.</li>
          <li>
            <code>GET /v1/video</code> without parameters returns all videos.
          </li>
          <li>Formats of IDs, keys and tokens, and timestamps in ISO 8601 UTC.</li>
        </ul>
      </Section>
      <Section id="additive" title="What may be added at any time">
        <ul>
          <li>Endpoints, optional parameters, response fields and headers.</li>
          <li>
            Error codes for new situations. Handle an unknown <code>code</code> by its status.
          </li>
          <li>Scopes, and values of fields that are not enumerations.</li>
        </ul>
        <p>
          Ignore unknown fields, and do not compare whole objects. In the OpenAPI description, <code>x-additive</code> marks additions to
          the first specification.
        </p>
      </Section>
      <Section id="deprecation" title="Deprecation">
        <p>
          Features are only removed in a new version, <code>/v2</code>. Both versions then run in parallel for at least 12 months. Responses
          of deprecated endpoints have the headers <code>Deprecation</code> (RFC 9745) and <code>Sunset</code> (RFC 8594) with the date. The
          <a href="/docs/changelog">changelog</a> describes the replacement.
        </p>
      </Section>
      <Section id="conformance" title="Test a deployment">
        <p>
          The conformance kit in the source code tests a deployment against the whole contract over HTTP: statuses, headers, bodies, order
          of checks, counters, tokens, playlists and keys. It is independent of the server code. It reports deviations, and exits with 1 if
          there are any.
        </p>
        <Snippet label="Shell" code={CONFORMANCE} />
        <p>
          With <code>--with writes</code> and a key with <code>video:write</code> in <code>--write-key</code>, it also tests the endpoints
          that change videos. It uploads one small file and deletes what it created.
        </p>
      </Section>
    </Guide>
  )
}
