import { sha256 } from '../../platform/secrets/crypto.ts'
import { GENESIS, hashOf, signedAmount } from './chain.ts'
import type { LedgerRecord } from './export-ledger.ts'
import { ENTRY_KINDS, type EntryKind } from './state.ts'

/** A row that is inconsistent with the others. */
export interface Fault {
  accountId: string
  /** `entry 17`, `hour 2026-11-21T09:00:00.000Z of key_…`, `wallet`. */
  row: string
  problem: string
}

export interface Verdict {
  accounts: number
  entries: number
  /** Tokens charged. */
  tokens: number
  /** Sums of the ledger accounts in micro-credits. They add up to 0, because every entry debits one and credits another. */
  sums: Record<string, bigint>
  /** SHA-256 over every account's last hash. A stored copy later proves that no entry changed. */
  digest: string
  /** In the order of the export; the first is the first inconsistent row. */
  faults: Fault[]
}

type Of<Type extends LedgerRecord['type']> = Extract<LedgerRecord, { type: Type }>

/**
 * Verifies the ledger from its records alone, in the order of `exportLedger`: every hash, every balance, each debit against its usage
 * counter, and each wallet against its entries. Needs no database.
 */
export class Verifier {
  private readonly faults: Fault[] = []
  private readonly sums: Record<string, bigint> = { wallet: 0n }
  private readonly heads: string[] = []
  private accounts = 0
  private entries = 0
  private tokens = 0
  private account: Account | undefined

  take(record: LedgerRecord): void {
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
  /** For each key: the cost of its days (`keys`) and of its hours (`charged`). */
  private readonly keys = new Map<string, bigint>()
  private readonly charged = new Map<string, bigint>()
  /** Keys with a reported hour. Their sums are not reported again. */
  private readonly named = new Set<string>()

  readonly id: string
  private readonly wrong: (row: string, problem: string) => void

  constructor(id: string, wrong: (row: string, problem: string) => void) {
    this.id = id
    this.wrong = wrong
  }

  takeHour(hour: Of<'hour'>): void {
    this.hours.set(`${hour.keyId} ${hour.hour}`, hour)
    this.charged.set(hour.keyId, (this.charged.get(hour.keyId) ?? 0n) + BigInt(hour.cost))
  }

  takeKey({ keyId, cost }: Of<'key'>): void {
    this.keys.set(keyId, BigInt(cost))
  }

  takeEntry(entry: Of<'entry'>): void {
    const row = `entry ${entry.seq}`
    const { hash, type: _, ...content } = entry
    if (entry.seq !== this.seq + 1) this.wrong(`entry ${this.seq + 1}`, `it is missing: entry ${entry.seq} follows entry ${this.seq}`)
    else if (entry.previous !== this.head) this.wrong(row, 'its previous hash is not the hash of the entry before it')
    else if (hashOf(content) !== hash) this.wrong(row, 'its hash does not match its content: it was changed')
    else this.takeContent(entry, row)
    this.seq = entry.seq
    this.head = hash
    this.posted = BigInt(entry.balanceAfter)
  }

  /** Checks an entry with a valid hash. If it differs from its usage counter, the counter is reported. */
  private takeContent(entry: Of<'entry'>, row: string): void {
    const against = ENTRY_KINDS[entry.kind as EntryKind]?.against
    const pair = [entry.debit, entry.credit].sort().join(' ')
    if (!against || pair !== [against, 'wallet'].sort().join(' ')) this.wrong(row, 'its kind does not match its debit and credit accounts')
    const after = this.posted + signedAmount(entry)
    if (BigInt(entry.balanceAfter) !== after || after < 0n)
      this.wrong(row, `its balance is ${entry.balanceAfter} micro-credits; the sum of entries is ${after}`)
    if (entry.kind !== 'usage') return
    const name = `${entry.keyId} ${entry.hour}`
    const hour = this.hours.get(name)
    const debits = `entry ${entry.seq} debits ${entry.tokens} tokens of it, ${entry.amount} micro-credits`
    if (this.debited.has(name)) this.wrong(row, 'this key and hour were already debited')
    else if (!hour) this.wrongHour(entry, `it is missing: ${debits}`)
    else if (hour.entry !== entry.seq)
      this.wrongHour(entry, `it names ${hour.entry === null ? 'no entry' : `entry ${hour.entry}`}; ${debits}`)
    else if (hour.cost !== entry.amount || hour.tokens !== entry.tokens)
      this.wrongHour(entry, `it records ${hour.tokens} tokens, ${hour.cost} micro-credits; ${debits}`)
    this.debited.add(name)
  }

  private wrongHour({ keyId, hour }: { keyId: string | null; hour: string | null }, problem: string): void {
    this.named.add(keyId ?? '')
    this.wrong(`hour ${hour} of ${keyId}`, problem)
  }

  /** Checks the sums last, so that a faulty part is reported before its sum. */
  end(): void {
    const { wallet } = this
    if (wallet && wallet.entries > this.seq)
      this.wrong(`entry ${this.seq + 1}`, `it is missing: the wallet counts ${wallet.entries} entries, and the last is ${this.seq}`)
    let open = 0n
    for (const [name, hour] of this.hours) {
      if (hour.entry === null) open += BigInt(hour.cost)
      else if (!this.debited.has(name)) this.wrongHour(hour, `it names entry ${hour.entry}, which does not debit this hour`)
    }
    this.endKeys()
    if (!wallet) this.wrong('wallet', 'it is missing')
    else if (wallet.entries !== this.seq) this.wrong('wallet', `it counts ${wallet.entries} entries; the ledger has ${this.seq}`)
    else if (wallet.head !== this.head) this.wrong('wallet', 'its last hash does not match the last entry')
    else if (BigInt(wallet.posted) !== this.posted)
      this.wrong('wallet', `its posted sum is ${wallet.posted}; the sum of entries is ${this.posted}`)
    else if (BigInt(wallet.balance) !== this.posted - open)
      this.wrong('wallet', `its balance is ${wallet.balance} micro-credits; the entries minus the open hours give ${this.posted - open}`)
  }

  /** Checks open hours against their key's days and the wallet. An hour is reported if both contradict it. */
  private endKeys(): void {
    for (const [keyId, cost] of this.keys) {
      const charged = this.charged.get(keyId) ?? 0n
      if (cost === charged || this.named.has(keyId)) continue
      const open = [...this.hours.values()].filter((hour) => hour.entry === null)
      const sum = open.reduce((sum, { cost }) => sum + BigInt(cost), 0n)
      const walletToo = this.wallet && BigInt(this.wallet.balance) === this.posted - (sum - charged + cost)
      const [one, ...others] = open.filter((hour) => hour.keyId === keyId)
      const problem = `the days of the key cost ${cost} micro-credits and its hours ${charged}`
      if (!walletToo) this.wrong(`counters of ${keyId}`, problem)
      else if (one && others.length === 0) this.wrongHour(one, `${problem}; the wallet agrees with the days`)
      else this.wrong(`open hours of ${keyId}`, `${problem}; the wallet agrees with the days`)
    }
  }
}
