import type { Metadata } from 'next'
import { FIXTURES } from '#server/modules/videos/fixtures'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Test keys and fixtures' }

const fixtures = Object.entries(FIXTURES).map(([id, { description }]) => ({ id, description }))

const CALL = `curl -s -X POST "$REELGATE_URL/v1/video/vid_test_rate_limited/playback-token" \\
  -H "x-service-key: $REELGATE_TEST_KEY"     # always 429`

export default function Testing() {
  return (
    <Guide href="/docs/testing" title="Test keys and fixtures" lead="Use a test key to trigger any status and error in your tests.">
      <Section id="keys" title="Test keys">
        <p>
          Create a test key in the dashboard with the environment Test. It starts with <code>ak_test_</code>. It can read the videos of the
          account like a live key, is never charged, and always has the free quota of 1,000 tokens per day, counted separately from other
          keys. With the scope <code>video:write</code>, it changes the videos of the account like a live key.
        </p>
      </Section>
      <Section id="fixtures" title="Fixture IDs">
        <p>
          With a test key, you can use these IDs instead of a video ID. Tokens of <code>vid_test_completed</code> play 20 seconds of
          encrypted pictures and sound, so that you can test your page with the player. With a live key, these IDs return 404. They cannot
          be changed: IDs of an error cause it with <code>video:write</code> too, and the others return 404.
        </p>
        <Table
          label="Fixture IDs"
          rows={fixtures}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Video ID', cell: ({ id }) => <code>{id}</code>, phone: 'wide' },
            { title: 'Response', cell: ({ description }) => <span style={{ whiteSpace: 'normal' }}>{description}</span>, phone: 'wide' },
          ]}
        />
        <Snippet label="Shell" code={CALL} />
      </Section>
      <Section id="console" title="Try an operation in the browser">
        <p>
          <b>Try it</b> in the <a href="/docs/reference">API reference</a> sends a request from your browser and shows status, headers and
          body. Sign in to the dashboard first: the request uses a test key of your account, created for it with the scope of the operation.
          The key expires after 15 minutes, and is revoked when you leave the page. Both are in the audit log.
        </p>
      </Section>
      <Section id="tips" title="What to test">
        <ul>
          <li>
            <code>vid_test_token_expired</code>: does your page request a new token, or use an old one from a cache?
          </li>
          <li>
            <code>vid_test_rate_limited</code>: does your server wait for <code>Retry-After</code>, or retry immediately?
          </li>
          <li>
            <code>vid_test_unavailable</code>: do you retry only 503 responses?
          </li>
          <li>
            <code>vid_test_processing</code>: do you poll every 10 to 30 seconds, and stop after a time limit?
          </li>
        </ul>
      </Section>
    </Guide>
  )
}
