import type { Metadata } from 'next'
import { REPORT_SEC } from '#server/modules/api-keys/stop-key'
import { TOKEN_LIFETIME_SEC } from '#server/modules/api-keys/validity'
import { JWKS_MAX_AGE_SEC, KEY_DAYS } from '#server/modules/receipts/signing-keys'
import { RECEIPT_TYPE } from '#server/modules/receipts/state'
import { RESTORE_DAYS } from '#server/modules/videos/restore'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Receipts' }

const REVOCATION = [
  { field: 'stoppedAt', means: 'When the key was revoked or disabled, by the database’s clock.' },
  {
    field: 'processes[].refusedAt',
    means: 'When this process confirmed that it refuses the key, with the same check as for a request.',
  },
  {
    field: 'processes[].lastAcceptedAt',
    means: 'The last request with the key that this process accepted. null if there was none since the process started.',
  },
  {
    field: 'processes[].state',
    means: `confirmed; waiting (less than ${REPORT_SEC} seconds); unconfirmed (running, but no confirmation received); ended (shut down before it confirmed).`,
  },
  {
    field: 'stillValid.tokensUntil',
    means: `Playback tokens issued before stay valid until this time, ${TOKEN_LIFETIME_SEC / 60} minutes at most.`,
  },
  {
    field: 'stillValid.playbackSessionsUntil',
    means: 'The latest time at which a playback session opened with such a token ends, including renewals.',
  },
]

const DELETION = [
  { field: 'deletedAt, purgedAt', means: `When the video was deleted, and when it was permanently deleted, ${RESTORE_DAYS} days later.` },
  { field: 'rows', means: 'Number of rows deleted from the database, by table.' },
  {
    field: 'storage.objects, storage.bytes',
    means: 'What was deleted from storage: the original, segments, images, captions and posters.',
  },
  { field: 'storage.verifiedAbsentAt', means: 'When a second search of the storage found no files of the video.' },
]

const CLAIMS = [
  { field: 'iss', means: 'The service that signed it.' },
  { field: 'sub', means: 'ID of the key, video or account.' },
  { field: 'kind', means: 'key.revocation, key.disabled, video.deletion or account.deletion.' },
  { field: 'account', means: 'ID of the account.' },
  { field: 'jti, iat', means: 'ID of the receipt, and when it was signed.' },
]

const VERIFY = `curl -s "$REELGATE_URL/.well-known/jwks.json" -o jwks.json
npx -p @reelgate/sdk reelgate verify-receipt reelgate-receipt-key_….json --jwks jwks.json
# Valid. Signed by https://video.example.com at 2026-11-22T18:14:05.000Z, key vcCYujao… of jwks.json.`

const columns = [
  { title: 'Field', cell: ({ field }: { field: string }) => <code>{field}</code>, phone: 'wide' as const },
  { title: 'Meaning', cell: ({ means }: { means: string }) => means, phone: 'wide' as const },
]
const keyOf = ({ field }: { field: string }) => field

export default function Receipts() {
  return (
    <Guide
      href="/docs/receipts"
      title="Receipts"
      lead="Revoking a key and permanently deleting a video each create a signed receipt. You can store it, share it, and verify it without this service."
    >
      <Section id="revocation" title="Key revocation">
        <p>
          After you revoke or disable a key, the page of the key shows when each running process started to refuse the key, and the last
          request that it accepted. Each process reports this for itself. A process that has not reported is shown as unconfirmed. A process
          that lost its connection confirms when it reconnects, and refuses the key in the meantime: it uses its cache only while it
          receives change notices.
        </p>
        <Table label="Fields of a revocation receipt" rows={REVOCATION} keyOf={keyOf} columns={columns} />
        <p>
          Rotating a key without an overlap also creates a receipt. With an overlap, the old key expires at the announced time and has no
          receipt.
        </p>
      </Section>
      <Section id="deletion" title="Video deletion">
        <p>
          A deleted video can be restored for {RESTORE_DAYS} days. Reelgate then deletes its rows and its media, and searches the storage
          again. The receipt is available under <a href="/settings/receipts">Settings → Receipts</a> and at the previous URL of the video.
          It contains the ID of the video, but not its title.
        </p>
        <Table label="Fields of a deletion receipt" rows={DELETION} keyOf={keyOf} columns={columns} />
        <p>
          A deletion does not include the audit log, the request log and webhook events, which have their own retention, or backups made by
          the operator. When an account is deleted, the operator keeps its receipts and can give them to you.
        </p>
      </Section>
      <Section id="verify" title="Verify a receipt">
        <p>
          A receipt is a JSON file with the content in readable form (<code>receipt</code>) and signed (<code>jws</code>). The signature is
          a JWS with <code>EdDSA</code> and the type <code>{RECEIPT_TYPE}</code>. The public keys are at <code>/.well-known/jwks.json</code>
          . With saved keys, you can verify a receipt offline:
        </p>
        <Snippet label="Shell" code={VERIFY} />
        <p>
          The command exits with 0 for a valid receipt. Otherwise it prints the reason and exits with 1. It checks the algorithm, the type,
          the key and its ID, the signature, the issuer, and that the readable content matches the signed content. Without{' '}
          <code>--jwks</code>, the keys are fetched from the issuer named in the receipt. With <code>--issuer</code>, receipts of other
          issuers are rejected.
        </p>
        <Table label="Fields of all receipts" rows={CLAIMS} keyOf={keyOf} columns={columns} />
        <p>
          Signing keys are replaced every {KEY_DAYS} days. A new key is published before it is used. You can cache the keys for{' '}
          {JWKS_MAX_AGE_SEC / 60} minutes. Old keys stay published, so existing receipts remain verifiable. Each key names the issuer it
          signs for (<code>iss</code>).
        </p>
      </Section>
    </Guide>
  )
}
