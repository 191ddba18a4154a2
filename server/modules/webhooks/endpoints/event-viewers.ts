import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { openOwnId } from '../../identity/viewers/reference.ts'

/** The beginning of a stored payload about a viewer, whose ID is not in it. Its ID is the second group. */
const BLANK = /^(\{"eventId":"([^"]*)","eventType":"view[^"]*","createdAt":"[^"]*","data":\{"viewerId" ?: ?)null/

/** Returns whether a stored payload is about a viewer. A sample, which names no viewer, is not. */
export const isAboutViewer = (payload: string): boolean => BLANK.test(payload)

/**
 * Returns stored payloads as receivers get them: with the IDs of viewers, which are stored once, sealed, and go with the viewer. The ID of
 * a viewer who was erased or is no longer kept stays null.
 */
export async function withViewers(payloads: readonly string[]): Promise<string[]> {
  const ids = payloads.flatMap((payload) => BLANK.exec(payload)?.[2] ?? [])
  if (ids.length === 0) return [...payloads]
  const rows = await query<{ id: string; viewer: string; ownId: Buffer }>('viewers-of-events', VIEWERS, [ids])
  const named = new Map(rows.map(({ id, viewer, ownId }) => [id, JSON.stringify(openOwnId(viewer, ownId))]))
  return payloads.map((payload) => payload.replace(BLANK, (_, start: string, id: string) => start + (named.get(id) ?? 'null')))
}

const VIEWERS = `
  SELECT e.id, v.id AS viewer, v.own_id AS "ownId" FROM webhook_event e JOIN viewer v ON v.id = e.viewer_id WHERE e.id = ANY ($1)`

/** Returns a payload as its account's members see it. Support staff see what happened, and not to whom. */
export async function shownPayload({ actor, ownerView }: Pick<AccountCtx, 'actor' | 'ownerView'>, payload: string): Promise<string> {
  if (actor.kind === 'support' || ownerView) return payload
  const [shown = payload] = await withViewers([payload])
  return shown
}
