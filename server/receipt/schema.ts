import { z } from 'zod'

/** What receipts are about, in words for people. */
export const RECEIPT_KINDS = {
  'key.revocation': 'Key revoked',
  'key.disabled': 'Key disabled',
  'video.deletion': 'Video deleted',
  'account.deletion': 'Account deleted',
} as const
export type ReceiptKind = keyof typeof RECEIPT_KINDS

/** `typ` of a receipt's header. */
export const RECEIPT_TYPE = 'reelgate-receipt+jwt'
/** What a downloaded receipt calls its own form. */
export const RECEIPT_FORMAT = 'reelgate-receipt-1'

export const receiptIdInput = z.object({ receiptId: z.string().regex(/^rcp_\w{1,60}$/, 'This is no receipt id.') })
export const keyStopInput = z.object({ keyId: z.string().max(100) })
/** `cursor`: id of the last one of the page before. */
export const listReceiptsInput = z.object({ cursor: z.string().max(100).optional() })
