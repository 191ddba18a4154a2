import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE } from '../../server/modules/audit/content-access.ts'
import { accountDeletions, deletionReceipt } from '../../server/modules/audit/receipts/deletions.ts'
import { receiptFile } from '../../server/modules/audit/receipts/sign.ts'
import { rotateSigningKey } from '../../server/modules/audit/receipts/signing-keys.ts'
import { RECEIPT_KINDS } from '../../server/modules/audit/receipts/state.ts'
import type { Command } from './command.ts'

export const rotateReceiptKeys: Command = {
  name: 'rotate-receipt-keys',
  description: 'Creates a new receipt signing key, which is published immediately and signs receipts 15 minutes later.',
  options: {
    now: {
      type: 'boolean',
      description: 'Signs with the new key immediately, and destroys all other private keys. Use this if a key leaked.',
    },
  },
  async run({ options }, print) {
    const { kid, signsFrom } = await rotateSigningKey({ now: options.now === true })
    print(`Key ${kid} is published and signs receipts from ${signsFrom.toISOString()}. You can still verify earlier receipts.`)
    return 0
  },
}

export const deletionReceipts: Command = {
  name: 'deletion-receipts',
  takes: ['account'],
  description: 'Lists an account’s permanent deletions by its ID, even after the account was deleted.',
  options: { save: { type: 'string', description: 'Writes the signed receipts to this folder.' } },
  async run({ args: { account = '' }, options }, print) {
    const deletions = await accountDeletions(account)
    if (deletions.length === 0) throw new Error(`No permanent deletions recorded for ${account}.`)
    const folder = options.save === undefined ? undefined : String(options.save)
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const { id, kind, subject, purgedAt } of deletions) {
      const jws = await deletionReceipt(id)
      print(`${purgedAt.toISOString()}  ${RECEIPT_KINDS[kind]}  ${subject}  ${jws ? id : 'not verified yet'}`)
      if (!jws || folder === undefined) continue
      const { name, content } = receiptFile(SERVICE, jws)
      writeFileSync(join(folder, name), content, { mode: 0o600 })
    }
    return 0
  },
}
