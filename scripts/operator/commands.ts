import { correct, credit, tier } from './billing.ts'
import { endSessions, restore, suspend, takedown } from './measures.ts'
import { deletionReceipts, rotateReceiptKeys } from './receipts.ts'
import { resetPassword } from './reset-password.ts'
import { removeSecondFactor } from './second-factor.ts'
import { grantSupport, listSupport, revokeSupport } from './support.ts'
import { verifyAuditLog } from './verify-audit.ts'
import { verifyLedger } from './verify-ledger.ts'

/** What was typed after a command's name. */
export interface ParsedArgs {
  /** Arguments, by the names in `takes`. */
  args: Record<string, string>
  options: Record<string, string | boolean | undefined>
}

/** One command of `npm run operator`. */
export interface Command {
  name: string
  /** Names of its arguments, in order; all must be given. */
  takes?: readonly string[]
  options?: Record<string, { type: 'string' | 'boolean'; words: string; required?: true }>
  /** What it does, in one sentence. */
  words: string
  /** Left out, it always needs the database. */
  needsDatabase?: (given: ParsedArgs) => boolean
  /** Does it, and may answer an exit code. What it throws is shown by its message, which ends the command with 1. */
  run: (given: ParsedArgs, say: (line: string) => void) => Promise<number | undefined>
}

/** Every command. A new one is a line here. */
export const COMMANDS: readonly Command[] = [
  grantSupport,
  revokeSupport,
  listSupport,
  removeSecondFactor,
  resetPassword,
  suspend,
  restore,
  takedown,
  endSessions,
  credit,
  correct,
  tier,
  verifyLedger,
  verifyAuditLog,
  rotateReceiptKeys,
  deletionReceipts,
]
