import { liftTakeDown } from '../videos/lift-take-down.ts'
import { takeDown } from '../videos/take-down.ts'
import { requireAccount } from './require-account.ts'
import type { TakeDownInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Takes a video down, or lifts the take-down, for a stated reason. Errors: NOT_FOUND, VIDEO_NOT_FOUND; FORBIDDEN for one's own
 * account; CONFLICT.
 */
export async function setTakenDown(staff: StaffCtx, { accountId, videoId, takenDown, reason }: TakeDownInput): Promise<void> {
  const ctx = await requireAccount(staff, accountId)
  await (takenDown ? takeDown : liftTakeDown)(ctx, { videoId, reason })
}
