import { sha256 } from '../infra/crypto.ts'
import type { BookRecord } from './books.ts'
import { GENESIS, hashOf, moved } from './chain.ts'
import { ENTRY_KINDS, type EntryKind } from './state.ts'

/** A row that does not agree with the others, named as a person would look for it. */
export interface Fault {
  accountId: string
  /** `entry 17`, `hour 2026-11-21T09:00:00.000Z of key_…`, `wallet`. */
  row: string
  problem: string
}

export interface Verdict {
  accounts: number
  entries: number
  /** Tokens paid for. */
  tokens: number
  /** Sums of the books' accounts in micro-credits; together they are 0, for every amount leaves one and enters another. */
  sums: Record<string, bigint>
  /** SHA-256 over the last hash of every account: who keeps it can tell later whether all of this still stands. */
  digest: string
  /** In the order of the books; the first is the first bad row. */
  faults: Fault[]
}

type Of<Type extends BookRecord['type']> = Extract<BookRecord, { type: Type }>

/**
 * Recomputes the books from nothing but their records, in the order `readBooks` hands them out: every hash, every balance, each debit
 * against the usage counter it was made of, and each wallet against its entries. Needs no database.
 */
export class Verifier {
  private readonly faults: Fault[] = []
  private readonly sums: Record<string, bigint> = { wallet: 0n }
  private readonly heads: string[] = []
  private accounts = 0
  private entries = 0
  private tokens = 0
  private account: Account | undefined

  take(record: BookRecord): void {
    if (record.accountId !== this.account?.id) {
      this.endAccount()
      this.account = new Account(record.accountId, (row, problem) => this.faults.push({ accountId: record.accountId, row, problem }))
      this.accounts++
    }
    const account = this.account as Account
    if (record.type === 'wallet') account.wallet = record
    else if (record.type === 'hour') account.takeHour(record)
    else if (record.type === 'key') account.takeKey(record)
    else {
      account.takeEntry(record)
      this.entries++
      this.tokens += record.tokens ?? 0
      this.sums[record.debit] = (this.sums[record.debit] ?? 0n) - BigInt(record.amount)
      this.sums[record.credit] = (this.sums[record.credit] ?? 0n) + BigInt(record.amount)
    }
  }

  end(): Verdict {
    this.endAccount()
    const { accounts, entries, tokens, sums, faults } = this
    return { accounts, entries, tokens, sums, digest: sha256(this.heads.join('\n')).toString('hex'), faults }
  }

  private endAccount(): void {
    if (!this.account) return
    this.account.end()
    this.heads.push(`${this.account.id} ${this.account.head}`)
    this.account = undefined
  }
}

class Account {
  wallet: Of<'wallet'> | undefined
  head = GENESIS
  private seq = 0
  private posted = 0n
  private readonly hours = new Map<string, Of<'hour'>>()
  private readonly debited = new Set<string>()
  private readonly costs = new Map<string, bigint>()

  readonly id: string
  private readonly wrong: (row: string, problem: string) => void

  constructor(id: string, wrong: (row: string, problem: string) => void) {
    this.id = id
    this.wrong = wrong
  }

  takeHour(hour: Of<'hour'>): void {
    this.hours.set(`${hour.keyId} ${hour.hour}`, hour)
    this.costs.set(hour.keyId, (this.costs.get(hour.keyId) ?? 0n) + BigInt(hour.cost))
  }

  takeKey({ keyId, cost }: Of<'key'>): void {
    const charged = this.costs.get(keyId) ?? 0n
    if (BigInt(cost) !== charged)
      this.wrong(`counters of ${keyId}`, `the days of the key cost ${cost} micro-credits and its hours ${charged}`)
  }

  takeEntry(entry: Of<'entry'>): void {
    const row = `entry ${entry.seq}`
    const { hash, type: _, ...content } = entry
    if (entry.seq !== this.seq + 1) this.wrong(`entry ${this.seq + 1}`, `it is missing: entry ${entry.seq} follows entry ${this.seq}`)
    else if (entry.previous !== this.head) this.wrong(row, 'it is not chained to the entry before it')
    else if (hashOf(content) !== hash) this.wrong(row, 'its hash is not that of its content: it was changed')
    else this.takeContent(entry, row)
    this.seq = entry.seq
    this.head = hash
    this.posted = BigInt(entry.balanceAfter)
  }

  private takeContent(entry: Of<'entry'>, row: string): void {
    const against = ENTRY_KINDS[entry.kind as EntryKind]?.against
    const pair = [entry.debit, entry.credit].sort().join(' ')
    if (!against || pair !== [against, 'wallet'].sort().join(' ')) this.wrong(row, 'its kind and its two accounts do not go together')
    const after = this.posted + moved(entry)
    if (BigInt(entry.balanceAfter) !== after || after < 0n)
      this.wrong(row, `its balance after it is ${entry.balanceAfter} micro-credits; the entries add up to ${after}`)
    if (entry.kind !== 'usage') return
    const name = `${entry.keyId} ${entry.hour}`
    const hour = this.hours.get(name)
    if (this.debited.has(name)) this.wrong(row, 'this key and hour were debited before')
    else if (!hour || hour.entry !== entry.seq) this.wrong(row, 'no usage counter stands behind this debit')
    else if (hour.cost !== entry.amount || hour.tokens !== entry.tokens)
      this.wrong(
        row,
        `it debits ${entry.tokens} tokens, ${entry.amount} micro-credits; the usage counter says ${hour.tokens}, ${hour.cost}`,
      )
    this.debited.add(name)
  }

  end(): void {
    let open = 0n
    for (const [name, hour] of this.hours) {
      if (hour.entry === null) open += BigInt(hour.cost)
      else if (!this.debited.has(name))
        this.wrong(`hour ${hour.hour} of ${hour.keyId}`, `it names entry ${hour.entry}, which does not debit it`)
    }
    const { wallet } = this
    if (!wallet) this.wrong('wallet', 'it is missing')
    else if (wallet.entries !== this.seq) this.wrong('wallet', `it counts ${wallet.entries} entries; there are ${this.seq}`)
    else if (wallet.head !== this.head) this.wrong('wallet', 'its last hash is not that of the last entry')
    else if (BigInt(wallet.posted) !== this.posted)
      this.wrong('wallet', `its posted sum is ${wallet.posted}; the entries add up to ${this.posted}`)
    else if (BigInt(wallet.balance) !== this.posted - open)
      this.wrong('wallet', `its balance is ${wallet.balance} micro-credits; the entries less the open hours make ${this.posted - open}`)
  }
}
