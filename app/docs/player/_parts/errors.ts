/** Each reason of the event `error`, with the codes that it may have. A test compares them with those of the player. */
export const PLAYER_ERRORS = {
  expired: { codes: ['PLAYBACK_TOKEN_EXPIRED'], meaning: 'The token expired before playback began. Issue another one.' },
  ended: {
    codes: ['PLAYBACK_TOKEN_EXPIRED'],
    meaning: 'The player could not renew its session, for example after more than a day. Issue another token.',
  },
  stopped: { codes: ['PLAYER_STOPPED'], meaning: 'The owner ended the session. The player does not start another one.' },
  barred: {
    codes: ['PLAYBACK_NOT_ALLOWED', 'PLAYER_BARRED'],
    meaning: 'The policy of the token does not allow this country or network.',
  },
  elsewhere: {
    codes: ['PLAYBACK_NOT_ALLOWED', 'PLAYER_ELSEWHERE'],
    meaning: 'The viewer already has as many sessions as the policy of the token allows. Viewers can try again.',
  },
  watermark: {
    codes: ['PLAYER_WATERMARK'],
    meaning: 'The viewer, or a program in their browser, hid the watermark. Viewers can reload the page.',
  },
  invalid: {
    codes: ['PLAYBACK_TOKEN_INVALID', 'INVALID_REQUEST', 'NOT_FOUND', 'PLAYER_INVALID'],
    meaning: 'The token is not valid for this video, or it is missing (`PLAYER_INVALID`).',
  },
  missing: { codes: ['VIDEO_NOT_FOUND'], meaning: 'The video was deleted.' },
  preparing: { codes: ['VIDEO_NOT_READY'], meaning: 'The video cannot be played yet. Viewers can try again.' },
  offline: {
    codes: ['PLAYER_OFFLINE'],
    meaning: 'The player cannot reach Reelgate. It continues once the network is back, and viewers can try again.',
  },
  trouble: {
    codes: ['Any other API code', 'PLAYER_TROUBLE'],
    meaning: 'Reelgate refused the request for another reason, such as `SERVICE_UNAVAILABLE`. Viewers can try again.',
  },
  broken: { codes: ['PLAYER_BROKEN'], meaning: 'The browser cannot decode the video. Viewers can try again.' },
  unsupported: { codes: ['PLAYER_UNSUPPORTED'], meaning: 'The browser cannot play HLS.' },
} as const
