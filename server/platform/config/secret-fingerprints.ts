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
  /** What to tell the operator if the secrets differ. */
  refusal: string
}

/** Returns a fingerprint that does not reveal the key and is the same in each process that has it. */
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
        'MASTER_KEYS lacks the key that this database now seals secrets with. Add it to the list. You can remove a key once the log says that nothing needs it.',
    },
    {
      name: 'token',
      fingerprints: tokens.map(fingerprint),
      refusal:
        'PLAYBACK_TOKEN_SECRETS lacks the secret that the running processes sign with. Append a new secret on every process before any process signs with it, or stop every process first.',
    },
  ]
}

/** Why the secrets of this process do not fit the database, in words for the operator. */
export class OtherSecretsError extends Error {}

/**
 * Compares this process's secrets with those last used with the database, and records this process's if `adopt`. Accepts a process whose
 * ring contains the recorded key, so that secrets can be rotated. Errors: OtherSecretsError.
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
  // Another process may have recorded other secrets in the meantime.
  await compare(all)
}

/**
 * Compares this process's secrets with the fingerprints in a backup, by ring. Skips tokens, which live for five minutes. Errors:
 * OtherSecretsError.
 */
export function checkSecretsOf(recorded: Record<string, string>): void {
  for (const { name, fingerprints, refusal } of rings()) {
    const known = recorded[name]
    if (name !== 'token' && known !== undefined && !fingerprints.includes(known)) throw new OtherSecretsError(refusal)
  }
}

/** SQL: the recorded fingerprints, by ring. */
export const FINGERPRINTS = `
  SELECT json_strip_nulls(json_build_object('root', root_fingerprint, 'master', master_fingerprint, 'token', token_fingerprint)) AS recorded
  FROM installation`

/** Returns the recorded fingerprints, by ring. */
async function compare(all: Ring[]): Promise<Record<string, string>> {
  const [{ recorded } = { recorded: {} }] = await query<{ recorded: Record<string, string> }>('fingerprints', FINGERPRINTS, [])
  for (const { name, fingerprints, refusal } of all) {
    const known = recorded[name]
    if (known === undefined || fingerprints.includes(known)) continue
    // Tokens live for five minutes. If no process verifies them, the ring can be replaced at once, as after a leak.
    if (name === 'token' && !(await othersServe())) continue
    throw new OtherSecretsError(refusal)
  }
  return recorded
}

const SERVING = `
  SELECT 1 FROM process WHERE 'web' = ANY (roles) AND heartbeat_at > service_clock() - make_interval(secs => $1) LIMIT 1`

const othersServe = async () => (await query('fingerprint-serving', SERVING, [SILENT_SEC])).length > 0
