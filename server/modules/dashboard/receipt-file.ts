import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { type KeyStop, readKeyStop } from '../access/keys/stop-key.ts'
import { requireContentAccess } from '../audit/content-access.ts'
import { deletionReceipt } from '../audit/receipts/deletions.ts'
import { type ReceiptFile, receiptFile, signReceipt } from '../audit/receipts/sign.ts'

/**
 * Returns the account's receipt as a file. A key revocation's receipt states the processes' confirmations so far; a deletion's is signed
 * once. Errors: FORBIDDEN for support staff; NOT_FOUND, also for another account's and while a removal is unverified.
 */
export async function downloadReceipt(ctx: AccountCtx, { receiptId: id }: { receiptId: string }): Promise<ReceiptFile> {
  const access = requireContentAccess(ctx, 'You cannot download signed receipts while you view an account as its owner.')
  const stop = await readKeyStop(ctx, { id })
  const jws = stop
    ? await signReceipt(access, { ...stop, accountId: ctx.accountId, subject: stop.keyId, facts: stopFacts(stop) })
    : await deletionReceipt(id, ctx.accountId)
  if (!jws) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such receipt, or it is not complete yet.' })
  return receiptFile(access, jws)
}

const iso = (date: Date | null) => date?.toISOString() ?? null

function stopFacts({ keyPrefix, at, processes, lastAcceptedAt, stillValid }: KeyStop): Record<string, unknown> {
  return {
    keyPrefix,
    stoppedAt: at.toISOString(),
    processes: processes.map((one) => ({
      id: one.id,
      host: one.host,
      pid: one.pid,
      version: one.version,
      startedAt: iso(one.startedAt),
      state: one.state,
      refusedAt: iso(one.refusedAt),
      lastAcceptedAt: iso(one.lastAcceptedAt),
      heardAt: iso(one.lastSeenAt),
    })),
    lastAcceptedAt: iso(lastAcceptedAt),
    stillValid: stillValid && { tokensUntil: iso(stillValid.tokensUntil), playbackSessionsUntil: iso(stillValid.sessionsUntil) },
  }
}
