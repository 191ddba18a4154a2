import { readKeyStop } from '../modules/access/keys/stop-key.ts'
import { listReceipts } from '../modules/audit/receipts/list.ts'
import { keyStopInput, listReceiptsInput, receiptIdInput } from '../modules/audit/receipts/schema.ts'
import { downloadReceipt } from '../modules/dashboard/receipt-file.ts'
import { procedure, router } from './init.ts'

export const receiptRouter = router({
  list: procedure.input(listReceiptsInput).query(({ ctx, input }) => listReceipts(ctx.account, input)),
  keyStop: procedure.input(keyStopInput).query(async ({ ctx, input }) => (await readKeyStop(ctx.account, input)) ?? null),
  download: procedure.input(receiptIdInput).query(({ ctx, input }) => downloadReceipt(ctx.account, input)),
})
