import { sha256 } from '../../platform/secrets/crypto.ts'

/** A ledger entry as it is hashed: amounts in micro-credits as text, times in ISO 8601 with milliseconds, hashes in hex. */
export interface ChainedEntry {
  accountId: string
  seq: number
  kind: string
  debit: string
  credit: string
  amount: string
  balanceAfter: string
  keyId: string | null
  hour: string | null
  tokens: number | null
  reference: string | null
  reason: string | null
  actor: string
  at: string
  previous: string
}

/** The previous hash of an account's first entry. */
export const GENESIS = '0'.repeat(64)

const FIELDS = [
  'previous',
  'accountId',
  'seq',
  'kind',
  'debit',
  'credit',
  'amount',
  'balanceAfter',
  'keyId',
  'hour',
  'tokens',
  'reference',
  'reason',
  'actor',
  'at',
] as const satisfies (keyof ChainedEntry)[]

/** Returns the SHA-256, in hex, of the entry's fields, including the previous hash, in a fixed order as a JSON array. */
export const hashOf = (entry: ChainedEntry): string => sha256(JSON.stringify(FIELDS.map((field) => entry[field]))).toString('hex')

/** Returns the signed amount by which an entry changes the wallet. */
export const signedAmount = ({ credit, amount }: Pick<ChainedEntry, 'credit' | 'amount'>): bigint =>
  credit === 'wallet' ? BigInt(amount) : -BigInt(amount)
