/**
 * The kinds of ledger entries, and the ledger account that each debits or credits against the wallet. Only `usage` is written without a
 * payment or an operator. Entries are never edited; a `correction` fixes a mistake.
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
