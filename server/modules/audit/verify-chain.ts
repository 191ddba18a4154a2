import { query } from '../../platform/database/database.ts'

/** The first position at which the chain of one account's audit log is broken. */
export interface AuditFault {
  accountId: string
  /** Position in the chain. Null if an entry has none. */
  seq: string | null
  entryId: string | null
  problem: string
}

export interface AuditVerdict {
  accounts: number
  entries: number
  /** SHA-256, in hex, over the heads of all accounts. A copy kept elsewhere later proves that no earlier entry was changed. */
  digest: string
  faults: AuditFault[]
}

/**
 * Recomputes the hash chain of every account's audit log in the database and compares it with the stored one. Whoever owns the tables can
 * rewrite a chain; a digest stored elsewhere reveals it. Reads all entries once. Faults name the first broken position of each account.
 */
export async function verifyAudit(): Promise<AuditVerdict> {
  const [faults, [sums]] = await Promise.all([
    query<AuditFault>('verify-audit', FAULTS, []),
    query<{ accounts: number; entries: number; digest: string }>('audit-digest', DIGEST, []),
  ])
  return { ...(sums as { accounts: number; entries: number; digest: string }), faults }
}

/* The hash is spelled out here because the database's owner could replace audit_hash(). */
const FAULTS = `
  WITH linked AS (
    SELECT l.account_id, l.seq, l.entry_id, l.hash, e.id IS NULL AS gone,
      l.seq - COALESCE(lag(l.seq) OVER chain, 0) AS step,
      sha256(COALESCE(lag(l.hash) OVER chain, decode(repeat('00', 32), 'hex')) || convert_to(json_build_array(l.seq, e.id, e.account_id, e.actor,
        e.actor_email, e.action, e.subject, e.before::text, e.after::text,
        to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text, 'UTF8')) AS expected
    FROM audit_link l LEFT JOIN audit_entry e ON e.id = l.entry_id
    WINDOW chain AS (PARTITION BY l.account_id ORDER BY l.seq)),
  faults AS (
    SELECT account_id, seq, entry_id, CASE
        WHEN step <> 1 THEN 'the previous link is missing'
        WHEN gone THEN 'the entry was removed'
        ELSE 'the entry or a hash was changed' END AS problem
    FROM linked WHERE step <> 1 OR gone OR hash <> expected
    UNION ALL
    SELECT e.account_id, NULL, e.id, 'the entry is not in the chain'
    FROM audit_entry e LEFT JOIN audit_link l ON l.entry_id = e.id WHERE l.entry_id IS NULL AND e.account_id IS NOT NULL
    UNION ALL
    SELECT c.account_id, c.entries, NULL, 'the last link does not match the head of the chain'
    FROM audit_chain c LEFT JOIN LATERAL (
      SELECT seq, hash FROM audit_link l WHERE l.account_id = c.account_id ORDER BY seq DESC LIMIT 1) last ON true
    WHERE COALESCE(last.seq, 0) <> c.entries OR last.hash IS DISTINCT FROM c.head
    UNION ALL
    SELECT DISTINCT l.account_id, NULL::bigint, NULL::bigint, 'the head of the chain is missing'
    FROM audit_link l LEFT JOIN audit_chain c USING (account_id) WHERE c.account_id IS NULL)
  SELECT DISTINCT ON (account_id) account_id AS "accountId", seq::text, entry_id::text AS "entryId", problem
  FROM faults ORDER BY account_id, seq NULLS LAST, entry_id`

const DIGEST = `
  SELECT count(*)::int AS accounts, COALESCE(sum(entries), 0)::float8 AS entries,
    encode(sha256(convert_to(COALESCE(string_agg(account_id || ' ' || encode(head, 'hex'), E'\\n' ORDER BY account_id), ''), 'UTF8')), 'hex') AS digest
  FROM audit_chain`
