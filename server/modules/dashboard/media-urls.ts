import { grantedUrl } from '../playback/grant.ts'

/** Hours that an address in the dashboard is good for, at least. Within them it stays the same, so that browsers keep their copies. */
const HOURS = 6

/** Where a COMPLETED video's poster, storyboard and captions stand for its owner's pages, by file name. */
export const mediaUrl = (videoId: string, file: string): string => grantedUrl(videoId, file, HOURS)
