import type { Metadata } from 'next'
import { SCOPES } from '#server/scopes'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Authentication' }

const CALL = `curl -s "$REELGATE_URL/v1/video" -H "x-service-key: $REELGATE_API_KEY"`

const scopes = Object.entries(SCOPES).map(([name, { opens }]) => ({ name, opens }))

export default function Authentication() {
  return (
    <Guide
      href="/docs/authentication"
      title="Authentication"
      lead="Servers use an API key. Players use a playback token. Neither can be used for the other’s work."
    >
      <Section id="keys" title="API keys">
        <p>
          A key is 40 characters and belongs to one account: it sees that account’s videos and nothing else. <code>ak_live_…</code> is for
          production, <code>ak_test_…</code> for <a href="/docs/testing">tests</a>. Send it in the header <code>x-service-key</code>.
        </p>
        <Snippet label="Shell" code={CALL} />
        <p>
          Keys are made in the dashboard, not through the API. The service keeps a hash and the first 12 characters, so a lost key cannot be
          shown again: revoke it and make another. The last six characters are a checksum, so a mistyped key is refused without a look-up.
        </p>
      </Section>
      <Section id="scopes" title="Scopes">
        <p>A key opens what its scopes name. Choose them when you make it.</p>
        <Table
          label="Scopes"
          rows={scopes}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Scope', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Opens', cell: ({ opens }) => opens, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="order" title="What is checked, in which order">
        <ol>
          <li>
            The address and the method: <a href="/docs/errors#NOT_FOUND">NOT_FOUND</a>,{' '}
            <a href="/docs/errors#METHOD_NOT_ALLOWED">METHOD_NOT_ALLOWED</a>
          </li>
          <li>
            Whether there is a key: <a href="/docs/errors#API_KEY_REQUIRED">API_KEY_REQUIRED</a>
          </li>
          <li>
            Whether it is known and not revoked: <a href="/docs/errors#INVALID_API_KEY">INVALID_API_KEY</a>
          </li>
          <li>
            Whether it holds the scope: <a href="/docs/errors#INSUFFICIENT_SCOPE">INSUFFICIENT_SCOPE</a>
          </li>
          <li>
            The input, then whether the video is yours, then its status, then your <a href="/docs/limits">quota</a>
          </li>
        </ol>
        <p>A video that does not exist and a video of another account get the same answer.</p>
      </Section>
      <Section id="tokens" title="Playback tokens">
        <p>
          A token is an HS256-signed JWT with the prefix <code>pt_</code>. It opens one video for 5 minutes and may be used more than once
          in that time. It cannot be renewed or bound to another video. A viewing that has begun goes on after its token has ended.
        </p>
      </Section>
      <Section id="rotation" title="Changing and revoking keys">
        <p>
          To change a key without a gap: make a second one with the same scopes, bring it to your servers, watch the first one’s request
          count in the dashboard stop, then revoke it.
        </p>
        <p>
          A revocation holds from the moment it is confirmed: no token is issued with the key any more. Tokens issued before stay good until
          they end, 5 minutes at most. Tokens cannot be revoked one by one.
        </p>
      </Section>
    </Guide>
  )
}
