import { permittedUrl } from '../playback/media-permit.ts'

/** Minimum validity of a URL in the dashboard, in hours. The URL is constant for as long, so that browsers can cache the file. */
const HOURS = 6

/** Returns the URL of a COMPLETED video's poster, storyboard or caption file for its owner's pages. */
export const mediaUrl = (videoId: string, file: string): string => permittedUrl(videoId, file, HOURS)
