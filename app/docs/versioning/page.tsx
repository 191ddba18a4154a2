import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Versioning' }

const CONFORMANCE = `npm run conformance -- --base-url "$REELGATE_URL" --key "$REELGATE_API_KEY" --report report.json`

export default function Versioning() {
  return (
    <Guide href="/docs/versioning" title="Versioning" lead="The version is in the path. What works with /v1 today goes on working.">
      <Section id="stable" title="What does not change within /v1">
        <ul>
          <li>Addresses, methods and the meaning of parameters.</li>
          <li>Names, types and meaning of response fields. None is taken away.</li>
          <li>Status and code of a refusal, and the order of checks.</li>
          <li>
            <code>GET /v1/video</code> without parameters holds every video.
          </li>
          <li>Forms: ids, keys, tokens, timestamps in ISO 8601 UTC.</li>
        </ul>
      </Section>
      <Section id="additive" title="What may be added at any time">
        <ul>
          <li>Endpoints, optional parameters, response fields and headers.</li>
          <li>
            Error codes, for situations that had none. Treat an unknown <code>code</code> by its status.
          </li>
          <li>Scopes and values of fields that are not enumerated.</li>
        </ul>
        <p>
          So ignore fields you do not know, and do not compare whole objects. In the description, <code>x-additive</code> marks what came on
          top of the first specification.
        </p>
      </Section>
      <Section id="deprecation" title="When something has to go">
        <p>
          It goes with a new version, <code>/v2</code>, and not before. Both then run side by side for at least 12 months. Answers of what
          is going carry the headers <code>Deprecation</code> (RFC 9745) and <code>Sunset</code> (RFC 8594) with the date, and the changelog
          says what to do instead.
        </p>
      </Section>
      <Section id="conformance" title="Checking a deployment">
        <p>
          The conformance kit in the source drives the whole contract against any deployment over HTTP: statuses, headers, bodies, order of
          checks, counters, tokens, playlists and keys. It knows nothing of the server’s code, says what drifts, and ends with 1 if anything
          does.
        </p>
        <Snippet label="Shell" code={CONFORMANCE} />
      </Section>
    </Guide>
  )
}
