import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountDeletions, deletionReceipt } from '../../server/modules/receipts/deletions.ts'
import { receiptFile } from '../../server/modules/receipts/sign.ts'
import { rotateSigningKey } from '../../server/modules/receipts/signing-keys.ts'
import { RECEIPT_KINDS } from '../../server/modules/receipts/state.ts'
import type { Command } from './commands.ts'

export const rotateReceiptKeys: Command = {
  name: 'rotate-receipt-keys',
  description: 'Makes a new key for signing receipts; it is published at once and signs a quarter of an hour later.',
  options: {
    now: { type: 'boolean', description: 'Signs with it at once, and destroys the private parts of all others: for a key that leaked.' },
  },
  async run({ options }, say) {
    const { kid, signsFrom } = await rotateSigningKey({ now: options.now === true })
    say(`The key ${kid} is published, and signs receipts from ${signsFrom.toISOString()} on. Receipts signed before go on verifying.`)
    return 0
  },
}

export const deletionReceipts: Command = {
  name: 'deletion-receipts',
  takes: ['account'],
  description: 'Lists what was deleted for good of an account, by its id, also after the account was deleted.',
  options: { save: { type: 'string', description: 'Writes the signed receipts into this folder.' } },
  async run({ args: { account = '' }, options }, say) {
    const deletions = await accountDeletions(account)
    if (deletions.length === 0) throw new Error(`Nothing was deleted for good of ${account}.`)
    const folder = options.save === undefined ? undefined : String(options.save)
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const { id, kind, subject, purgedAt } of deletions) {
      const jws = await deletionReceipt(id)
      say(`${purgedAt.toISOString()}  ${RECEIPT_KINDS[kind]}  ${subject}  ${jws ? id : 'not verified yet'}`)
      if (!jws || folder === undefined) continue
      const { name, content } = receiptFile(jws)
      writeFileSync(join(folder, name), content, { mode: 0o600 })
    }
    return 0
  },
}
