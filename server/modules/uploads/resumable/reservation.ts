import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'

/** An update writes two rows of `storage_count`, so an equal reservation stays. */
const FIT = `
  WITH held AS (SELECT bytes FROM upload WHERE id = $1),
  lowered AS (UPDATE upload SET bytes = $2 WHERE id = $1 AND bytes > $2)
  SELECT 1 FROM held WHERE bytes >= $2`

/**
 * Lowers an upload's reservation to the size that it starts with. Runs under the upload's lock, so that no upload may receive more than is
 * reserved. Errors: UPLOAD_CONFLICT if less is reserved, because another request has announced a smaller size.
 */
export async function fitReservation(id: string, size: number | undefined): Promise<void> {
  if (size !== undefined && (await query('fit-reservation', FIT, [id, size])).length === 0) throw new ServiceError('UPLOAD_CONFLICT')
}
