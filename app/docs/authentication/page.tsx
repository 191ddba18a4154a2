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
            Whether it is known, and neither revoked, disabled nor expired: <a href="/docs/errors#INVALID_API_KEY">INVALID_API_KEY</a>
          </li>
          <li>
            Whether it may be used from this address: <a href="/docs/errors#IP_NOT_ALLOWED">IP_NOT_ALLOWED</a>
          </li>
          <li>
            Whether the account is suspended: <a href="/docs/errors#ACCOUNT_SUSPENDED">ACCOUNT_SUSPENDED</a>
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
        <p>
          Revoking or disabling a key stops new tokens; sessions that are open go on. <b>End playback</b> on the page of a key or a video,
          or on a call in <a href="/requests">Requests</a>, ends open sessions at once. A token from the last 5 minutes stays valid until it
          expires and can open a new session, so switch the key off or delete the video first where that matters.
        </p>
      </Section>
      <Section id="limits" title="Expiry and allowed addresses">
        <p>
          A key can have an end: after it, calls are refused with <a href="/docs/errors#INVALID_API_KEY">INVALID_API_KEY</a>, and no token
          is issued, to the millisecond of the service’s clock. The overview tells 7 days before. With a later end the key works again.
        </p>
        <p>
          A key can be bound to IPv4 and IPv6 addresses and networks, for example <code>203.0.113.7</code>, <code>10.0.0.0/8</code> or{' '}
          <code>2001:db8::/32</code>. From anywhere else it is refused with <a href="/docs/errors#IP_NOT_ALLOWED">IP_NOT_ALLOWED</a>, which
          says in <code>details.address</code> from where the call came. Behind a reverse proxy the operator sets{' '}
          <code>TRUST_PROXY=true</code>; otherwise every call seems to come from the proxy. Playback tokens are not bound: viewers are
          anywhere.
        </p>
        <p>Both are changed on the key’s page, and hold at once on every server.</p>
      </Section>
      <Section id="rotation" title="Changing, disabling and revoking keys">
        <p>
          <b>Rotate</b> a key to change it without a gap: a new one with the same name, scopes and limits takes over, and the old one goes
          on working for as long as you choose, up to 7 days. Bring the new one to your servers, and watch the old one’s requests stop.
        </p>
        <p>
          <b>Disable</b> a key to see what breaks without it, or while you look into something: it is refused like a revoked one until you
          enable it again.
        </p>
        <p>
          <b>Revoke</b> a key for good. Disabling and revoking hold from the moment they are confirmed: no token is issued with the key any
          more. Tokens issued before stay good until they end, 5 minutes at most. Tokens cannot be revoked one by one.
        </p>
        <p>An account has at most 100 keys at a time; revoked and expired ones do not count.</p>
      </Section>
    </Guide>
  )
}
