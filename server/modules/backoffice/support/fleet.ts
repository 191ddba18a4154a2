import { db } from '../../../platform/database/database.ts'
import { type Fleet, readFleet } from '../../transcoding/tasks/fleet.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** Returns what the workers do and who waits for them. Errors: as `requireCurrentStaff`. */
export async function supportFleet(staff: StaffCtx): Promise<Fleet> {
  await requireCurrentStaff(db(), staff)
  return readFleet()
}
