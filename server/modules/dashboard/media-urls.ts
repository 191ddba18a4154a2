import type { AccountCtx } from '../../context.ts'
import { contentAccessOf } from '../audit/content-access.ts'
import { permittedUrl } from '../delivery/sessions/media-permit.ts'

/** Minimum validity of a URL in the dashboard, in hours. The URL stays the same that long, so that browsers can cache the file. */
const HOURS = 6

/** Returns the URL of a COMPLETED video's poster, storyboard or caption file for the caller's pages. Null for support staff. */
export function mediaUrl(ctx: Pick<AccountCtx, 'actor' | 'ownerView'>, videoId: string, file: string): string | null {
  const access = contentAccessOf(ctx)
  return access ? permittedUrl(access, videoId, file, HOURS) : null
}
