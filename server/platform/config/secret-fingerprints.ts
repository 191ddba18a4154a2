import { query } from '../database/database.ts'
import { SILENT_SEC } from '../process-registry.ts'
import { sign } from '../secrets/crypto.ts'
import { masterKeys } from '../secrets/seal.ts'
import { env } from './config.ts'
import { derivedKeys } from './secrets.ts'

/** The keys of one ring as fingerprints: the first seals or signs, all open or verify. */
interface Ring {
  name: 'root' | 'master' | 'token'
  fingerprints: string[]
  /** What to tell the operator whose secrets are others. */
  refusal: string
}

/** Returns a text from which a key cannot be computed, and that is the same in each process that has the key. */
const fingerprint = (key: Uint8Array) => sign(key, 'reelgate fingerprint')

function rings(): Ring[] {
  const { PLAYBACK_TOKEN_SECRETS } = env()
  const tokens = PLAYBACK_TOKEN_SECRETS?.map(({ secret }) => Buffer.from(secret)) ?? derivedKeys('playback-token')
  return [
    {
      name: 'root',
      fingerprints: derivedKeys('fingerprint').map(fingerprint),
      refusal:
        'REELGATE_SECRET (or DATA_DIR/secret, where it is unset) is not the secret that the data in this database was written with. Set that secret, or to replace it follow "Changing the root secret" in docs/secrets.md.',
    },
    {
      name: 'master',
      fingerprints: [...masterKeys().values()].flat().map(fingerprint),
      refusal:
        'MASTER_KEYS lacks the key under which this database now seals secrets. Add it to the list; a key may be removed once the log says that nothing needs it.',
    },
    {
      name: 'token',
      fingerprints: tokens.map(fingerprint),
      refusal:
        'PLAYBACK_TOKEN_SECRETS lacks the secret with which the running processes sign. Append each new secret on all processes before one of them signs with it, or stop every process first.',
    },
  ]
}

/** Why the secrets of this process cannot be used with the database, in words for the operator. */
export class OtherSecretsError extends Error {}

/**
 * Compares the secrets of this process with those that the database was last used with, and records those of this process if `adopt`. A
 * process that has the recorded key in its ring is accepted, so secrets can be rotated. Errors: OtherSecretsError.
 */
export async function checkSecrets({ adopt }: { adopt: boolean }): Promise<void> {
  const all = rings()
  const recorded = await compare(all)
  if (!adopt) return
  for (const { name, fingerprints } of all) {
    const column = `${name}_fingerprint` as const
    const adopt = `UPDATE installation SET ${column} = $1 WHERE ${column} IS NOT DISTINCT FROM $2` as const
    if (recorded[name] !== fingerprints[0]) await query(`adopt-${column}`, adopt, [fingerprints[0], recorded[name] ?? null])
  }
  // Another process may have recorded other secrets meanwhile.
  await compare(all)
}

/**
 * Compares the secrets of this process with the fingerprints in a backup, by ring. Tokens are not compared: they live for five minutes.
 * Errors: OtherSecretsError.
 */
export function checkSecretsOf(recorded: Record<string, string>): void {
  for (const { name, fingerprints, refusal } of rings()) {
    const known = recorded[name]
    if (name !== 'token' && known !== undefined && !fingerprints.includes(known)) throw new OtherSecretsError(refusal)
  }
}

/** SQL: what is recorded, by ring. */
export const FINGERPRINTS = `
  SELECT json_strip_nulls(json_build_object('root', root_fingerprint, 'master', master_fingerprint, 'token', token_fingerprint)) AS recorded
  FROM installation`

/** Returns what is recorded, by ring. */
async function compare(all: Ring[]): Promise<Record<string, string>> {
  const [{ recorded } = { recorded: {} }] = await query<{ recorded: Record<string, string> }>('fingerprints', FINGERPRINTS, [])
  for (const { name, fingerprints, refusal } of all) {
    const known = recorded[name]
    if (known === undefined || fingerprints.includes(known)) continue
    // Tokens live for five minutes: without a process that verifies them, the ring may be replaced at once, as after a leak.
    if (name === 'token' && !(await othersServe())) continue
    throw new OtherSecretsError(refusal)
  }
  return recorded
}

const SERVING = `
  SELECT 1 FROM process WHERE 'web' = ANY (roles) AND heartbeat_at > service_clock() - make_interval(secs => $1) LIMIT 1`

const othersServe = async () => (await query('fingerprint-serving', SERVING, [SILENT_SEC])).length > 0
