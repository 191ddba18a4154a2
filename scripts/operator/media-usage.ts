import { mediaOrphans as findOrphans } from '../../server/modules/media/media-orphans.ts'
import { usageByAccount, usageByKind } from '../../server/modules/media/media-usage.ts'
import { megabytes } from '../../server/platform/megabytes.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import type { Command } from './command.ts'
import { readNumber } from './read-number.ts'

/** Hours to keep objects without a row. */
const GRACE_HOURS = 48
const MIN_HOURS = 1
const ACCOUNTS = 20

export const mediaOrphans: Command = {
  name: 'media orphans',
  description: 'Lists stored objects that no database row refers to. Exits with 1 if there are any.',
  options: {
    delete: { type: 'boolean', description: 'Deletes them.' },
    'older-than': {
      type: 'string',
      description: `Only objects stored at least this many hours ago. Default: ${GRACE_HOURS}, at least ${MIN_HOURS}.`,
    },
  },
  async run({ options }, print) {
    const hours = readNumber(options.olderThan, 'older-than') ?? GRACE_HOURS
    if (hours < MIN_HOURS)
      throw new Error(`--older-than must be at least ${MIN_HOURS}: running uploads and encodes write objects before their rows.`)
    const { signal } = new AbortController()
    // A restored database lacks the rows of newer videos, and a lost volume has no objects.
    await storage().check()
    let [objects, total] = [0, 0]
    for await (const { key, bytes, storedAt } of findOrphans({ graceMs: hours * 3_600_000, signal })) {
      print(`${key}  ${megabytes(bytes)}  ${storedAt.toISOString()}`)
      if (options.delete) await storage().delete(key)
      objects++
      total += bytes
    }
    print(`${objects} objects, ${megabytes(total)}${options.delete ? ' deleted' : ' without a row. Add --delete to delete them.'}.`)
    return objects > 0 && !options.delete ? 1 : 0
  },
}

export const mediaUsage: Command = {
  name: 'media usage',
  description: 'Totals the stored media by kind and by account, and compares the totals with the database.',
  async run(_parsed, print) {
    print(`${'kind'.padEnd(10)}${'objects'.padStart(12)}${'stored'.padStart(16)}${'database'.padStart(16)}`)
    for (const { kind, stored, counted } of await usageByKind())
      print(
        `${kind.padEnd(10)}${String(stored.objects).padStart(12)}${megabytes(stored.bytes).padStart(16)}${megabytes(counted).padStart(16)}${stored.bytes === counted ? '' : `  differs by ${stored.bytes - counted} bytes`}`,
      )
    print('')
    for (const { accountId, name, videos, bytes } of await usageByAccount(ACCOUNTS))
      print(`${accountId}  ${megabytes(bytes).padStart(14)}  ${String(videos).padStart(8)} videos  ${name}`)
    return 0
  },
}
