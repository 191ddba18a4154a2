import { z } from 'zod'

export const receiptIdInput = z.object({ receiptId: z.string().regex(/^rcp_\w{1,60}$/, 'This is no receipt id.') })
export const keyStopInput = z.object({ keyId: z.string().max(100) })
/** `cursor`: id of the last one of the page before. `subject`: id of the key or video that all are about. */
export const listReceiptsInput = z.object({ cursor: z.string().max(100).optional(), subject: z.string().max(100).optional() })
