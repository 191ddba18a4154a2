import { verifyAudit } from '../../server/modules/audit/verify-chain.ts'
import type { Command } from './command.ts'

const SHOWN = 20

export const verifyAuditLog: Command = {
  name: 'verify-audit',
  description: 'Recomputes the hash chain of every audit log, and reports each account’s first changed or removed entry.',
  async run(_parsed, print) {
    const { accounts, entries, digest, faults } = await verifyAudit()
    print(`${entries} entries in the audit logs of ${accounts} accounts.`)
    print(`Digest of all chains: ${digest}`)
    if (faults.length === 0) {
      print('The audit logs are intact: every entry is in its chain and every hash matches.')
      return 0
    }
    for (const { accountId, seq, entryId, problem } of faults.slice(0, SHOWN))
      print(`BROKEN: ${accountId}${seq === null ? '' : `, link ${seq}`}${entryId === null ? '' : `, entry ${entryId}`}: ${problem}.`)
    if (faults.length > SHOWN) print(`and ${faults.length - SHOWN} more accounts`)
    return 1
  },
}
