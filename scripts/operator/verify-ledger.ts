import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { exportLedger, type LedgerRecord } from '../../server/modules/billing/export-ledger.ts'
import { creditsText } from '../../server/modules/billing/price-schema.ts'
import { type Verdict, Verifier } from '../../server/modules/billing/verify-ledger.ts'
import type { Command } from './command.ts'

const FORMAT = 'reelgate-ledger-1'
const SHOWN = 20

export const verifyLedger: Command = {
  name: 'verify-ledger',
  description: 'Recomputes every hash, balance and debit of the ledger, and reports the first inconsistent row.',
  options: {
    export: {
      type: 'string',
      description: 'Also exports the ledger to this file, one JSON record per line, so that you can verify it elsewhere.',
    },
    from: {
      type: 'string',
      description: 'Verifies an exported file instead of the database, without connecting to it.',
      conflicts: ['export'],
    },
  },
  needsDatabase: ({ options }) => options.from === undefined,
  async run({ options }, print) {
    const verdict =
      options.from !== undefined ? await verifyFile(String(options.from)) : await verifyDatabase(options.export as string | undefined)
    return printVerdict(verdict, print)
  },
}

async function verifyDatabase(exportTo: string | undefined): Promise<Verdict> {
  const verifier = new Verifier()
  // Never overwrites another file. Only its owner can read it.
  const file = exportTo === undefined ? undefined : createWriteStream(exportTo, { flags: 'wx', mode: 0o600 })
  if (file) await once(file, 'open')
  const write = async (line: unknown) => {
    if (file && !file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  await write({ format: FORMAT })
  await exportLedger(async (record) => {
    verifier.take(record)
    await write(record)
  })
  const verdict = verifier.end()
  await write({ format: FORMAT, end: verdict.digest })
  if (file) {
    file.end()
    await once(file, 'close')
  }
  return verdict
}

async function verifyFile(path: string): Promise<Verdict> {
  const verifier = new Verifier()
  const input = createReadStream(path)
  await once(input, 'open')
  let number = 0
  let end: unknown
  for await (const line of createInterface({ input })) {
    number++
    const read = parse(line)
    if (number === 1) {
      if (read?.format !== FORMAT) throw new Error(`${path} is not a ledger export.`)
    } else if (!read) throw new Error(`Line ${number} of ${path} is not a valid record.`)
    else if (read.format === FORMAT) end = read.end
    else verifier.take(read as unknown as LedgerRecord)
  }
  const verdict = verifier.end()
  if (end === undefined) throw new Error(`${path} is truncated: its last line is missing.`)
  if (end !== verdict.digest && verdict.faults.length === 0)
    throw new Error(`${path} was changed after the export: its digest was ${end} and is now ${verdict.digest}.`)
  return verdict
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Prints the verdict. Exit code 0: the ledger is consistent; 1: it is not. */
function printVerdict({ accounts, entries, tokens, sums, digest, faults }: Verdict, print: (line: string) => void): number {
  const [first] = faults
  print(`${entries} entries of ${accounts} wallets, ${tokens} tokens debited.`)
  for (const [account, sum] of Object.entries(sums)) print(`  ${account.padEnd(12)}${creditsText(sum).padStart(24)}`)
  print(`Digest of all chains: ${digest}`)
  if (!first) {
    print('The ledger is consistent: every hash, balance and debit matches.')
    return 0
  }
  print(`FIRST INCONSISTENT ROW: ${first.row} of ${first.accountId}: ${first.problem}.`)
  for (const { row, accountId, problem } of faults.slice(1, SHOWN)) print(`  also ${row} of ${accountId}: ${problem}`)
  if (faults.length > SHOWN) print(`  and ${faults.length - SHOWN} more`)
  return 1
}
