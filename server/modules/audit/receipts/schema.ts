import { z } from 'zod'

export const receiptIdInput = z.object({ receiptId: z.string().regex(/^rcp_\w{1,60}$/, 'This is not a valid receipt ID.') })
export const keyStopInput = z.object({ keyId: z.string().max(100) })
/** `cursor`: last ID of the previous page. `subject`: ID of the receipts' key or video. */
export const listReceiptsInput = z.object({ cursor: z.string().max(100).optional(), subject: z.string().max(100).optional() })
