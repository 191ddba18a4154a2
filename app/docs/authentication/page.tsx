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
      lead="Servers use an API key. Players use a playback token. One cannot replace the other."
    >
      <Section id="keys" title="API keys">
        <p>
          An API key has 40 characters and gives access to the videos of one account. Use <code>ak_live_…</code> keys for production and{' '}
          <code>ak_test_…</code> keys for <a href="/docs/testing">tests</a>. Send the key in the header <code>x-service-key</code>.
        </p>
        <Snippet label="Shell" code={CALL} />
        <p>
          You create keys in the dashboard, not through the API. The service stores a hash and the first 12 characters, so a key cannot be
          shown again. If you lose a key, revoke it and create a new one. The last six characters are a checksum, which detects mistyped
          keys.
        </p>
      </Section>
      <Section id="scopes" title="Scopes">
        <p>
          Scopes limit what a key can access. Choose them when you create the key, and change them on its page. Changes take effect
          immediately: requests that need a removed scope fail with <a href="/docs/errors#INSUFFICIENT_SCOPE">INSUFFICIENT_SCOPE</a>, and
          changes under way are complete. To create or rotate a key, or to add a scope, a member with two-factor sign-in enters a code.
        </p>
        <Table
          label="Scopes"
          rows={scopes}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Scope', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Access', cell: ({ opens }) => opens, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="order" title="Order of checks">
        <ol>
          <li>
            The path and the method: <a href="/docs/errors#NOT_FOUND">NOT_FOUND</a>,{' '}
            <a href="/docs/errors#METHOD_NOT_ALLOWED">METHOD_NOT_ALLOWED</a>
          </li>
          <li>
            A key is present: <a href="/docs/errors#API_KEY_REQUIRED">API_KEY_REQUIRED</a>
          </li>
          <li>
            The key is valid, and not revoked, disabled or expired: <a href="/docs/errors#INVALID_API_KEY">INVALID_API_KEY</a>
          </li>
          <li>
            The key is allowed from this IP address: <a href="/docs/errors#IP_NOT_ALLOWED">IP_NOT_ALLOWED</a>
          </li>
          <li>
            The account is not suspended: <a href="/docs/errors#ACCOUNT_SUSPENDED">ACCOUNT_SUSPENDED</a>
          </li>
          <li>
            The key has the required scope: <a href="/docs/errors#INSUFFICIENT_SCOPE">INSUFFICIENT_SCOPE</a>
          </li>
          <li>
            The input, then the ownership of the video, its status, and your <a href="/docs/limits">quota</a>
          </li>
        </ol>
        <p>The response for a video of another account is the same as for a video that does not exist.</p>
      </Section>
      <Section id="tokens" title="Playback tokens">
        <p>
          A token is a JWT signed with HS256, with the prefix <code>pt_</code>. It is valid for one video and 5 minutes, and can be used
          more than once in that time. It cannot be renewed or used for another video. Playback that has started continues after the token
          expires.
        </p>
        <p>
          After you revoke or disable a key, no new tokens are issued, and open sessions continue. To end open sessions immediately, select{' '}
          <b>End playback</b> on the page of a key, a video, or a request under <a href="/requests">Requests</a>. Tokens issued in the last
          5 minutes stay valid until they expire and can open new sessions. If that matters, delete the video, or disable the key and end
          playback again after 5 minutes.
        </p>
      </Section>
      <Section id="limits" title="Expiry and allowed addresses">
        <p>
          You can set an expiry date for a key. After this date, requests fail with{' '}
          <a href="/docs/errors#INVALID_API_KEY">INVALID_API_KEY</a> and no tokens are issued. The overview page shows a warning 7 days
          before. To make an expired key work again, set a later expiry date.
        </p>
        <p>
          You can restrict a key to IPv4 and IPv6 addresses and networks, for example <code>203.0.113.7</code>, <code>10.0.0.0/8</code> or{' '}
          <code>2001:db8::/32</code>. Requests from other addresses fail with <a href="/docs/errors#IP_NOT_ALLOWED">IP_NOT_ALLOWED</a>, and{' '}
          <code>details.address</code> contains the address of the request. Behind a reverse proxy, the operator must set{' '}
          <code>TRUST_PROXY=true</code>. Otherwise, all requests appear to come from the proxy. Playback tokens are not restricted to
          addresses.
        </p>
        <p>You can change both on the page of the key. Changes take effect immediately on all servers.</p>
      </Section>
      <Section id="rotation" title="Rotate, disable and revoke keys">
        <p>
          <b>Rotate</b> a key to replace it without downtime. The new key has the same name, scopes, allowed addresses, daily quota and
          spending cap, and continues the counts of today and of this month. The old key keeps working for up to 7 days, as you choose.
          Deploy the new key to your servers, and check that requests with the old key stop.
        </p>
        <p>
          The dashboard shows keys that replaced each other as one key, with one history of usage, requests and spending. The page of the
          key lists its rotations, with the last use of each, and ends an overlap early. In the ledger and on statements, each charge names
          the key that caused it.
        </p>
        <p>
          <b>Disable</b> a key to block it temporarily, for example during an investigation. It is refused like a revoked key until you
          enable it again. Support staff can disable a key too, for example when its value has leaked. The page of the key then shows who
          disabled it and why.
        </p>
        <p>
          <b>Revoke</b> a key to block it permanently. Disabling and revoking take effect as soon as they are confirmed: no more tokens are
          issued with the key. Tokens issued before stay valid until they expire, after 5 minutes at most. Single tokens cannot be revoked.
        </p>
        <p>An account can have 100 keys. Revoked and expired keys do not count.</p>
      </Section>
    </Guide>
  )
}
