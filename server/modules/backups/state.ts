/** The checks of a restore drill, in order, with their display text. */
export const DRILL_CHECKS = {
  manifest: 'Manifest and its signature',
  database: 'Database restored',
  ledger: 'Ledger',
  counters: 'Counters',
  audit: 'Audit logs',
  receipts: 'Receipts',
  secrets: 'Stored secrets',
  media: 'Media complete',
  playback: 'Segments decrypted and decoded',
} as const
export type DrillCheck = keyof typeof DRILL_CHECKS

/** Why a backup is not verified. */
export interface DrillFault {
  check: DrillCheck
  problem: string
}

/** What a drill counted. */
export interface DrillFigures {
  seconds: number
  tables: number
  rows: number
  ledgerEntries: number
  auditEntries: number
  receipts: number
  secrets: number
  videos: number
  objects: number
  mediaBytes: number
  segments: number
}
