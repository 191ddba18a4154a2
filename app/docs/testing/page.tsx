import type { Metadata } from 'next'
import { FIXTURES } from '#server/modules/videos/fixtures'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Test keys and fixtures' }

const fixtures = Object.entries(FIXTURES).map(([id, { say }]) => ({ id, say }))

const CALL = `curl -s -X POST "$REELGATE_URL/v1/video/vid_test_rate_limited/playback-token" \\
  -H "x-service-key: $REELGATE_TEST_KEY"     # 429, today and every day`

export default function Testing() {
  return (
    <Guide
      href="/docs/testing"
      title="Test keys and fixtures"
      lead="A test key reaches every status and every error on demand, so that your tests can."
    >
      <Section id="keys" title="Test keys">
        <p>
          Make one in the dashboard with the environment Test; it begins with <code>ak_test_</code>. It reads the same account’s videos as a
          live key, is never billed, and always has the free tier’s 1,000 tokens a day, counted apart from all other keys.
        </p>
      </Section>
      <Section id="fixtures" title="Fixture ids">
        <p>
          With a test key these ids work in place of a video’s. Nothing is behind them: there is no media to play, and live keys get 404.
        </p>
        <Table
          label="Fixture ids"
          rows={fixtures}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Video id', cell: ({ id }) => <code>{id}</code>, phone: 'wide' },
            { title: 'Answers', cell: ({ say }) => <span style={{ whiteSpace: 'normal' }}>{say}</span>, phone: 'wide' },
          ]}
        />
        <Snippet label="Shell" code={CALL} />
      </Section>
      <Section id="tips" title="What to test">
        <ul>
          <li>
            <code>vid_test_token_expired</code>: does your page ask for a fresh token, or show the old one from a cache?
          </li>
          <li>
            <code>vid_test_rate_limited</code>: does your server wait for <code>Retry-After</code>, or ask again at once?
          </li>
          <li>
            <code>vid_test_unavailable</code>: do you retry a 503 and nothing else?
          </li>
          <li>
            <code>vid_test_processing</code>: do you go on asking every 10 to 30 seconds, and stop some time?
          </li>
        </ul>
      </Section>
    </Guide>
  )
}
