import type { AccountCtx } from '../../context.ts'
import { permittedUrl } from '../playback/media-permit.ts'

/** Minimum validity of a URL in the dashboard, in hours. The URL is constant for as long, so that browsers can cache the file. */
const HOURS = 6

/** Returns the URL of a COMPLETED video's poster, storyboard or caption file for its members' pages. */
export const mediaUrl = (videoId: string, file: string): string => permittedUrl(videoId, file, HOURS)

/** Returns the same URL for the caller's pages; null for support staff, because the URL is a permit and the content is private. */
export const mediaUrlFor = ({ actor }: Pick<AccountCtx, 'actor'>, videoId: string, file: string): string | null =>
  actor.kind === 'support' ? null : mediaUrl(videoId, file)
