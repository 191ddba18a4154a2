import { readKeyStop } from '../key/stop.ts'
import { downloadReceipt } from '../receipt/file.ts'
import { listReceipts } from '../receipt/list.ts'
import { keyStopInput, listReceiptsInput, receiptIdInput } from '../receipt/schema.ts'
import { procedure, router } from './init.ts'

export const receiptRouter = router({
  list: procedure.input(listReceiptsInput).query(({ ctx, input }) => listReceipts(ctx.account, input)),
  keyStop: procedure.input(keyStopInput).query(async ({ ctx, input }) => (await readKeyStop(ctx.account, input)) ?? null),
  download: procedure.input(receiptIdInput).query(({ ctx, input }) => downloadReceipt(ctx.account, input)),
})
