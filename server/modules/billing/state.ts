/**
 * What a ledger entry can be, and between which two accounts of the books it moves its amount. `usage` is the only one the service makes
 * by itself; nothing is ever edited, so a mistake is a `correction` of its own.
 */
export const ENTRY_KINDS = {
  top_up: { title: 'Top-up', against: 'payments' },
  credit: { title: 'Credit', against: 'grants' },
  usage: { title: 'Usage', against: 'usage' },
  refund: { title: 'Refund', against: 'payments' },
  dispute: { title: 'Chargeback', against: 'payments' },
  correction: { title: 'Correction', against: 'adjustments' },
} as const
export type EntryKind = keyof typeof ENTRY_KINDS
