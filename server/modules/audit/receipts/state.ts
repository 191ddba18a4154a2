/** Kinds of receipts, with their text for display. */
export const RECEIPT_KINDS = {
  'key.revocation': 'Key revoked',
  'key.disabled': 'Key disabled',
  'video.deletion': 'Video deleted',
  'account.deletion': 'Account deleted',
  'viewer.erasure': 'Viewer erased',
  'backup.drill': 'Backup verified by a restore',
} as const
export type ReceiptKind = keyof typeof RECEIPT_KINDS

/** `typ` of a receipt's header. */
export const RECEIPT_TYPE = 'reelgate-receipt+jwt'
/** Format identifier in a downloaded receipt. */
export const RECEIPT_FORMAT = 'reelgate-receipt-1'
