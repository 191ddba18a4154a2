import { z } from 'zod'

export const receiptIdInput = z.object({ receiptId: z.string().regex(/^rcp_\w{1,60}$/, 'This is not a valid receipt id.') })
export const keyStopInput = z.object({ keyId: z.string().max(100) })
/** `cursor`: last id of the previous page. `subject`: id of the key or video of the receipts. */
export const listReceiptsInput = z.object({ cursor: z.string().max(100).optional(), subject: z.string().max(100).optional() })
