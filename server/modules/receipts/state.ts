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
