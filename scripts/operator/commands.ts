import { endAnnouncementNow, listAllAnnouncements, makeAnnouncement } from './announcements.ts'
import { backup, listAllBackups, restoreFromBackup, verifyBackup } from './backups.ts'
import { correct, credit, tier } from './billing.ts'
import type { Command } from './command.ts'
import { endSessions, restore, suspend, takedown } from './measures.ts'
import { mediaMove } from './media-move.ts'
import { mediaScrub } from './media-scrub.ts'
import { mediaOrphans, mediaUsage } from './media-usage.ts'
import { migrateSchema } from './migrate.ts'
import { deletionReceipts, rotateReceiptKeys } from './receipts.ts'
import { reencode } from './reencode.ts'
import { resetPassword } from './reset-password.ts'
import { removeSecondFactor } from './second-factor.ts'
import { speechCheck } from './speech.ts'
import { printLog, printRenditions, printSettings, printTrends, status } from './status.ts'
import { adoptMediaStorage, checkStorage } from './storage.ts'
import { grantOperator, grantSupport, listSupport, revokeOperator, revokeSupport } from './support.ts'
import { verifyAuditLog } from './verify-audit.ts'
import { verifyLedger } from './verify-ledger.ts'

/** Every command. A new one is a line here. */
export const COMMANDS: readonly Command[] = [
  status,
  printTrends,
  printRenditions,
  printSettings,
  printLog,
  makeAnnouncement,
  endAnnouncementNow,
  listAllAnnouncements,
  grantOperator,
  revokeOperator,
  grantSupport,
  revokeSupport,
  listSupport,
  removeSecondFactor,
  resetPassword,
  suspend,
  restore,
  takedown,
  endSessions,
  credit,
  correct,
  tier,
  verifyLedger,
  verifyAuditLog,
  rotateReceiptKeys,
  deletionReceipts,
  migrateSchema,
  checkStorage,
  adoptMediaStorage,
  mediaScrub,
  reencode,
  mediaMove,
  mediaOrphans,
  mediaUsage,
  speechCheck,
  backup,
  listAllBackups,
  verifyBackup,
  restoreFromBackup,
]
