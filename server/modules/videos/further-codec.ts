/**
 * Until when a row is kept that adds renditions of a further codec to a video, while playlists list them. One that is removed, or
 * whose video got another source, is kept for the sessions that hold its playlists.
 */
export const OFFERED_UNTIL = '9999-12-31T00:00:00Z'
