import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'TypeScript client' }

const PACK = `(cd sdk && npm pack)                   # in a checkout of Reelgate, after npm install
npm install ./reelgate-sdk-0.1.0.tgz   # in your project`

const USE = `import { Reelgate, ReelgateError } from '@reelgate/sdk'

const reelgate = new Reelgate({
  baseUrl: process.env.REELGATE_URL,
  apiKey: process.env.REELGATE_API_KEY,
})

for (const video of await reelgate.listVideos()) console.log(video.id, video.status, video.title)

try {
  const { playerUrl, rateLimit } = await reelgate.createPlaybackToken('vid_3kTMd9cXv0dRr1gB7JmQeA', {
    idempotencyKey: 'viewing-4711',
  })
  console.log(playerUrl, rateLimit.remaining)
} catch (error) {
  if (error instanceof ReelgateError && error.code === 'VIDEO_NOT_READY') console.log('Still being transcoded')
  else throw error
}`

const GENERATE = `npx @hey-api/openapi-ts -i "$REELGATE_URL/v1/openapi.json" -o ./reelgate     # TypeScript
npx @openapitools/openapi-generator-cli generate -i "$REELGATE_URL/v1/openapi.json" -g python -o ./reelgate`

export default function Sdk() {
  return (
    <Guide
      href="/docs/sdk"
      title="TypeScript client"
      lead="@reelgate/sdk is a typed client for all endpoints. It has no dependencies and requires Node 20 or later."
    >
      <Section id="install" title="Install">
        <p>The client is part of the Reelgate source code, so its version matches the server.</p>
        <Snippet label="Shell" code={PACK} />
      </Section>
      <Section id="use" title="Use">
        <p>
          Methods return <code>data</code>. Errors of the service are thrown as <code>ReelgateError</code> with <code>code</code>,{' '}
          <code>status</code>, <code>requestId</code> and <code>docUrl</code>. Connection failures are thrown as{' '}
          <code>ReelgateConnectionError</code>.
        </p>
        <Snippet label="TypeScript" code={USE} />
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
