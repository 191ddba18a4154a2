import type { Metadata } from 'next'
import { SDK_FILE } from '#server/platform/sdk-file'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'
import { SAMPLES } from './_parts/samples'

export const metadata: Metadata = { title: 'TypeScript client' }

const INSTALL = `npm install "$REELGATE_URL/${SDK_FILE}"`

const KEEP = `curl -fO "$REELGATE_URL/${SDK_FILE}"
npm install ./${SDK_FILE}`

const GENERATE = `npx @hey-api/openapi-ts -i "$REELGATE_URL/v1/openapi.json" -o ./reelgate     # TypeScript
npx @openapitools/openapi-generator-cli generate -i "$REELGATE_URL/v1/openapi.json" -g python -o ./reelgate`

export default function Sdk() {
  return (
    <Guide
      href="/docs/sdk"
      title="TypeScript client"
      lead="@reelgate/sdk is a typed client for all endpoints. It has no dependencies and requires Node 20.3 or later."
    >
      <Section id="install" title="Install">
        <p>This service has the client of its own version as a package:</p>
        <Snippet label="Shell" code={INSTALL} />
        <p>
          The name contains the version, so <code>npm ci</code> finds the same file after an upgrade of the service. A service that is
          replaced by a new image has the file of its own version only: keep the file with your sources, and install it from there.
        </p>
        <Snippet label="Shell" code={KEEP} />
        <p>
          <code>/sdk.tgz</code> leads to the file of the current version. Do not install from that address: after an upgrade it has another
          content than your lock file states.
        </p>
      </Section>
      <Section id="use" title="Use">
        <p>
          Methods return <code>data</code>. Errors of the service are thrown as <code>ReelgateError</code> with <code>code</code>,{' '}
          <code>status</code>, <code>requestId</code> and <code>docUrl</code>. Connection failures are thrown as{' '}
          <code>ReelgateConnectionError</code>.
        </p>
        <Snippet label="TypeScript" code={SAMPLES.use} />
        <p>
          A request fails after 30 seconds (<code>timeoutMs</code>). After a lost connection, 502, 503 or 504 it is repeated twice (
          <code>retries</code>), where that is safe: reads, and requests with an idempotency key, which the client adds to{' '}
          <code>createUpload</code>, <code>importVideo</code>, <code>replaceSource</code> and <code>createPlaybackToken</code>.{' '}
          <code>iterateVideos()</code> and <code>iterateEvents()</code> read all pages.
        </p>
      </Section>
      <Section id="upload" title="Upload files">
        <p>
          <code>uploads.fromFile</code> takes a path or a <code>Blob</code> and sends it in parts. A lost connection costs the part in hand.
        </p>
        <Snippet label="TypeScript" code={SAMPLES.upload} />
        <p>
          In a browser there is no API key: your backend <a href="/docs/uploads">creates the upload</a>, and the page sends the file. The
          same URL goes on where an interrupted call stopped.
        </p>
        <Snippet label="TypeScript" code={SAMPLES.send} />
      </Section>
      <Section id="webhooks" title="Receive webhooks">
        <p>
          <code>constructEvent</code> verifies the signature of the raw body and returns the event, whose <code>data</code> has the type of
          its <code>eventType</code>.
        </p>
        <Snippet label="TypeScript" code={SAMPLES.receive} />
      </Section>
      <Section id="other" title="Other languages">
        <p>
          The client is generated from the OpenAPI description at <a href="/v1/openapi.json">/v1/openapi.json</a>. You can use any OpenAPI
          3.1 generator to create a client in another language:
        </p>
        <Snippet label="Shell" code={GENERATE} />
      </Section>
    </Guide>
  )
}
