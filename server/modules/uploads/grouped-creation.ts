import type { AccountId } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { commitsFlushed } from '../../platform/database/flush-commits.ts'
import { admitUploads } from './admission.ts'
import { type DirectRow, findByIdempotency, insertDirect, type NewDirect } from './direct/direct-rows.ts'

/** Maximum number of uploads per transaction. The next requests are read while it runs. */
const GROUP = 32

/** The row that an earlier request with the same Idempotency-Key created, or the new one's expiry. */
export type Creation = { earlier: DirectRow } | { expiresAt: Date }

interface Call {
  row: NewDirect
  resolve(creation: Creation): void
  reject(error: unknown): void
}

declare module '../../platform/container.ts' {
  interface Services {
    /** An account's calls that wait for the current transaction. */
    uploadCreations: Map<AccountId, Call[]>
  }
}

/**
 * Inserts an API upload, together with the account's other waiting ones: each would wait for the lock on the account's row, on its own
 * connection. Rejects as `admitUpload` does.
 */
export function createGrouped(row: NewDirect): Promise<Creation> {
  const { uploadCreations: groups } = services()
  return new Promise((resolve, reject) => {
    const waiting = groups.get(row.accountId)
    if (waiting) return void waiting.push({ row, resolve, reject })
    const calls = [{ row, resolve, reject }]
    groups.set(row.accountId, calls)
    void createAll(row.accountId, calls)
  })
}

async function createAll(accountId: AccountId, waiting: Call[]): Promise<void> {
  while (waiting.length > 0) {
    const calls = takeGroup(waiting)
    const fail = (error: unknown) => {
      for (const { reject } of calls) reject(error)
    }
    // The next group starts while this one becomes durable.
    await createTogether(accountId, calls).then((settle) => void commitsFlushed().then(settle, fail), fail)
  }
  // In the same turn as the check: a later call starts its own group.
  services().uploadCreations.delete(accountId)
}

/** Takes the first calls. The second of two with the same Idempotency-Key waits, and then finds the first one's row. */
function takeGroup(waiting: Call[]): Call[] {
  const hashes = new Set<string>()
  const isFirst = ({ row }: Call) => {
    const hash = row.once?.hash.toString('base64')
    if (hash === undefined) return true
    const known = hashes.has(hash)
    hashes.add(hash)
    return !known
  }
  const group = waiting.filter(isFirst).slice(0, GROUP)
  const rest = waiting.filter((call) => !group.includes(call))
  waiting.splice(0, waiting.length, ...rest)
  return group
}

/** Roughly what `upload_text_bytes` in the database counts. */
const textBytes = ({ fields }: NewDirect) => Buffer.byteLength(JSON.stringify(fields)) + 1_000

/** Returns what settles the calls, once the transaction is durable. */
async function createTogether(accountId: AccountId, calls: Call[]): Promise<() => void> {
  const earlier = new Map<string, DirectRow>()
  const expiries = new Map<string, Date>()
  const uploads = calls.map(({ row }) => ({ id: row.id, size: 0, isVideo: !row.fields.replaces, textBytes: textBytes(row) }))
  const refusals = await admitUploads({ accountId }, uploads, {
    isDurableLater: true,
    async repeated(on) {
      const found = await findByIdempotency(
        on,
        calls.flatMap(({ row }) => row.once ?? []),
      )
      for (const { row } of calls) {
        const one = found.find(({ idempotencyHash }) => row.once?.hash.equals(idempotencyHash))
        if (one) earlier.set(row.id, one)
      }
      return new Set(earlier.keys())
    },
    async also(on, admitted) {
      const rows = calls.flatMap(({ row }) => (admitted.includes(row.id) ? [row] : []))
      for (const { id, expiresAt } of await insertDirect(on, rows)) expiries.set(id, expiresAt)
    },
  })
  return () => {
    for (const { row, resolve, reject } of calls) {
      const [same, expiresAt] = [earlier.get(row.id), expiries.get(row.id)]
      if (same) resolve({ earlier: same })
      else if (expiresAt) resolve({ expiresAt })
      else reject(refusals.get(row.id))
    }
  }
}
