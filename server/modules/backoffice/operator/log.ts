import { pageOf } from '../../../platform/database/cursor.ts'
import { db } from '../../../platform/database/database.ts'
import { type ListedOperatorEntry, readOperatorLog } from '../../audit/operator-log.ts'
import { type OperatorCtx, requireCurrentOperator } from './operator.ts'

const PAGE = 50

/** Returns a page of the log of the installation, the newest first. Errors: as `requireCurrentOperator`. */
export async function operatorLog(
  ctx: OperatorCtx,
  { cursor }: { cursor?: string | undefined },
): Promise<{ entries: ListedOperatorEntry[]; nextCursor: string | null }> {
  await requireCurrentOperator(db(), ctx)
  const { rows, nextCursor } = pageOf(await readOperatorLog(cursor, PAGE + 1), PAGE, ({ id }) => id)
  return { entries: rows, nextCursor }
}
