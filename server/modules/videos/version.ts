import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import { namedEtags } from '../../platform/network/etag.ts'
import { type RenderedVideo, renderRow, VERSION_COLUMNS, type VersionRow } from './presenter.ts'

/** Returns a video as the API shows it, with its ETag, as the transaction sees it. */
export async function readVersion(tx: Tx, videoId: string): Promise<RenderedVideo> {
  const [row] = await tx.$queryRawUnsafe<VersionRow[]>(`SELECT ${VERSION_COLUMNS} FROM video WHERE id = $1`, videoId)
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  return renderRow(row)
}

/**
 * Checks that a video which the transaction holds is in the state that `If-Match` names: its ETag, that of a response with `expand`, or
 * `*`. Errors: PRECONDITION_FAILED, with the present ETag.
 */
export async function requireMatch(tx: Tx, videoId: string, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return
  const { etag } = await readVersion(tx, videoId)
  const named = namedEtags(ifMatch).map((one) => one.replace(/\.[\w-]+(?="$)/, ''))
  if (!named.includes(etag) && !named.includes('*')) throw new ServiceError('PRECONDITION_FAILED', { headers: { ETag: etag } })
}
