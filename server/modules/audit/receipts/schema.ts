import { z } from 'zod'
import { storedId } from '../../../platform/text/schema.ts'

export const receiptIdInput = z.object({ receiptId: z.string().regex(/^rcp_\w{1,60}$/, 'This is not a valid receipt ID.') })
export const keyStopInput = z.object({ keyId: storedId(100) })
/** `cursor`: last ID of the previous page. `subject`: ID of the receipts' key or video. */
export const listReceiptsInput = z.object({ cursor: storedId(100).optional(), subject: storedId(100).optional() })
