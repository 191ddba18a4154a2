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
    means: 'When this process found that it refuses the key. It asks itself in the way a request is checked.',
  },
  {
    field: 'processes[].lastAcceptedAt',
    means: 'The last request with the key that this process let through; null when there was none since it started.',
  },
  {
    field: 'processes[].state',
    means: `confirmed; waiting (less than ${REPORT_SEC} seconds); unconfirmed: it ran and has not answered; ended: it was shut down before it answered.`,
  },
  { field: 'stillValid.tokensUntil', means: `Playback tokens issued before stay valid until then: ${TOKEN_LIFETIME_SEC / 60} minutes.` },
  {
    field: 'stillValid.playbackSessionsUntil',
    means: 'When the last playback session opened with such a token ends at the latest, renewals included.',
  },
]

const DELETION = [
  { field: 'deletedAt, purgedAt', means: `When the video was deleted, and when it was deleted for good: ${RESTORE_DAYS} days later.` },
  { field: 'rows', means: 'How many rows were deleted from the database, by table.' },
  { field: 'storage.objects, storage.bytes', means: 'What storage held: the original, segments, pictures, captions and posters.' },
  { field: 'storage.verifiedAbsentAt', means: 'When storage was searched again after the removal and held nothing of the video.' },
]

const CLAIMS = [
  { field: 'iss', means: 'The service that signed it.' },
  { field: 'sub', means: 'Id of the key, video or account.' },
  { field: 'kind', means: 'key.revocation, key.disabled, video.deletion or account.deletion.' },
  { field: 'account', means: 'Id of the account.' },
  { field: 'jti, iat', means: 'Id of the receipt, and when it was signed.' },
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
      lead="Revoking a key and deleting a video for good each leave a signed receipt. You can keep it, hand it on, and have it verified without this service."
    >
      <Section id="revocation" title="When a key stops working">
        <p>
          After you revoke or disable a key, its page shows for each running process since when it refuses the key and which request it let
          through last. Each process measures this itself; nothing is assumed of a process that has not answered. A process that was
          unreachable confirms when it is back, and refuses the key in the meantime: it answers from memory only while it hears of changes.
        </p>
        <Table label="Fields of a revocation receipt" rows={REVOCATION} keyOf={keyOf} columns={columns} />
        <p>
          Rotating a key without an overlap has a receipt as well. With an overlap, the old key ends at the announced time and has no
          receipt.
        </p>
      </Section>
      <Section id="deletion" title="When a video is deleted for good">
        <p>
          A deleted video can be restored for {RESTORE_DAYS} days. Then its rows are deleted, its media is removed from storage, and storage
          is searched again. The receipt is in <a href="/settings/receipts">Settings, Receipts</a> and at the video’s old address. It holds
          the video’s id and no title.
        </p>
        <Table label="Fields of a deletion receipt" rows={DELETION} keyOf={keyOf} columns={columns} />
        <p>
          Not part of a deletion: the audit log, calls in the request log and webhook events, which are kept for their own time, and backups
          that the operator of the service made. When an account is deleted, the operator keeps its receipts and can hand them to you.
        </p>
      </Section>
      <Section id="verify" title="Verify a receipt">
        <p>
          A receipt is a JSON file with what it says (<code>receipt</code>) and the same, signed (<code>jws</code>): a JWS with{' '}
          <code>EdDSA</code> and the type <code>{RECEIPT_TYPE}</code>. The public keys are at <code>/.well-known/jwks.json</code>. With
          saved keys no connection is needed:
        </p>
        <Snippet label="Shell" code={VERIFY} />
        <p>
          The command ends with 0 for a valid receipt and with 1 and the reason otherwise. It checks the algorithm, the type, the key and
          its name, the signature, the issuer, and that the readable part is what was signed. Without <code>--jwks</code> the keys are
          fetched from the issuer that the receipt names; <code>--issuer</code> refuses a receipt of any other.
        </p>
        <Table label="Fields of every receipt" rows={CLAIMS} keyOf={keyOf} columns={columns} />
        <p>
          Keys are replaced every {KEY_DAYS} days. A new one is published before it signs, copies of the keys may be kept for{' '}
          {JWKS_MAX_AGE_SEC / 60} minutes, and old ones stay published, so that every receipt goes on verifying. Each key names the address
          it signs for (<code>iss</code>).
        </p>
      </Section>
    </Guide>
  )
}
