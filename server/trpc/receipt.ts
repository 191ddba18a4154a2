import { readKeyStop } from '../modules/api-keys/stop-key.ts'
import { downloadReceipt } from '../modules/dashboard/receipt-file.ts'
import { listReceipts } from '../modules/receipts/list.ts'
import { keyStopInput, listReceiptsInput, receiptIdInput } from '../modules/receipts/schema.ts'
import { procedure, router } from './init.ts'

export const receiptRouter = router({
  list: procedure.input(listReceiptsInput).query(({ ctx, input }) => listReceipts(ctx.account, input)),
  keyStop: procedure.input(keyStopInput).query(async ({ ctx, input }) => (await readKeyStop(ctx.account, input)) ?? null),
  download: procedure.input(receiptIdInput).query(({ ctx, input }) => downloadReceipt(ctx.account, input)),
})
