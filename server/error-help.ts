import type { ERRORS, ErrorCode } from './errors.ts'

/** The codes that the REST API returns: all except the dashboard's own. */
export type PublicCode = { [Code in ErrorCode]: (typeof ERRORS)[Code] extends { dashboard: true } ? never : Code }[ErrorCode]

/** Cause and remedy of each error. A missing code is a compile error. */
export const ERROR_HELP = {
  API_KEY_REQUIRED: {
    cause: 'The request has no x-service-key header, or an empty one. Often an environment variable that is not set on this machine.',
    fix: 'Send the key in x-service-key. Proxies that remove unknown headers must let it through.',
  },
  INVALID_API_KEY: {
    cause:
      'The key is not known here (mistyped, cut off when copied, or made in another deployment), or it was revoked, disabled, or has expired.',
    fix: 'Compare its first 12 characters with the list in the dashboard. Disabled: enable it there. Expired: give it a later end. Revoked, or not there: make a new one.',
  },
  INSUFFICIENT_SCOPE: {
    cause: 'The key is good but was made without the scope that details.needs names.',
    fix: 'Make a key with that scope. The scopes of a key do not change afterwards.',
  },
  IP_NOT_ALLOWED: {
    cause:
      'The key is good, but was bound to a list of addresses, and the call came from another one. details.address is the one we saw: behind a NAT or a proxy it is that one’s.',
    fix: 'Add the address, or the network it is in, to the key in the dashboard; it holds at once. If every call shows the same address, the operator’s reverse proxy is not declared with TRUST_PROXY.',
  },
  ACCOUNT_SUSPENDED: {
    cause: 'The operator of this service has suspended the account that the key belongs to. The key itself is good.',
    fix: 'Sign in to the dashboard: it shows the reason and whom to contact. The same key works again once the account is restored.',
  },
  VIDEO_NOT_FOUND: {
    cause:
      'No video with this id is in the key’s account: the id is wrong, the video was deleted, or it is another account’s. On the manifest: it was deleted after the token was issued.',
    fix: 'Take ids from the list endpoint, and make sure that the key is of the account that uploaded the video.',
  },
  PLAYBACK_TOKEN_EXPIRED: {
    cause:
      'More than 5 minutes have passed since the token was issued. Typical of pages kept in a cache or opened from a history. On playlists and keys: the session has run out, or with details.reason PLAYBACK_ENDED its owner ended it.',
    fix: 'Issue a token when the viewer opens the page, not when the page is built, and never cache a page that holds one.',
  },
  PLAYBACK_TOKEN_INVALID: {
    cause: 'The token was cut or changed on the way, was signed elsewhere, or belongs to another video.',
    fix: 'Pass on token or playerUrl unchanged, with its prefix pt_. Ask for a token of the video that is to be played.',
  },
  RATE_LIMIT_EXCEEDED: {
    cause:
      'The key has issued its daily quota of playback tokens. On the paid tier also: credit or a spending cap has ended (details.reason says which), and the free quota with it. On both tiers: all keys of the account together have used its free tokens (ACCOUNT_FREE_QUOTA). Reading videos is not affected.',
    fix: 'Wait for Retry-After: the quota stays gone until UTC midnight, so do not retry before. One token a viewing is enough; an Idempotency-Key makes retries free. See Limits for more.',
  },
  INVALID_REQUEST: {
    cause: 'A parameter or header has a value it cannot have. details lists each: where it is, its name, and what is wrong.',
    fix: 'Correct what details names. Repeating the request unchanged gives the same answer.',
  },
  NOT_FOUND: {
    cause: 'There is no endpoint at this address. Often a slash at the end, a missing /v1, or videos for video.',
    fix: 'Compare the address with the API reference.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The address exists but does not take this method, for example GET where a token is issued with POST.',
    fix: 'Use a method from the Allow header of the answer.',
  },
  VIDEO_NOT_READY: {
    cause: 'The video is not COMPLETED: it waits, is being transcoded, or has failed. details.status says which. No quota was spent.',
    fix: 'Ask for the video every 10 to 30 seconds until it is COMPLETED. If it is FAILED, the dashboard tells why and can try again.',
  },
  REQUEST_TIMEOUT: {
    cause:
      'The head of the request took longer than 15 seconds to arrive, its body longer than the server waits, or an upload fell below the minimum rate.',
    fix: 'Send the request again. An upload goes on where it stopped: ask for its offset with HEAD, then send the rest.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The request has a body of more than 64 KiB. No endpoint needs one.',
    fix: 'Send no body.',
  },
  INTERNAL_ERROR: {
    cause: 'Something failed on our side that we did not foresee.',
    fix: 'Try again once. If it persists, tell the operator the requestId: the log has the rest under it.',
  },
  STORAGE_FULL: {
    cause:
      'A disk of the service has less free than its operator keeps in reserve, or would have once all uploads that were accepted are finished. Only uploads are refused; reading, tokens and playback go on.',
    fix: 'Resume the upload later: what was sent is kept. The operator makes room, or adds to the disk.',
  },
  SERVICE_UNAVAILABLE: {
    cause: 'The service cannot reach its database just now, for example while it is being restarted.',
    fix: 'Try again after Retry-After seconds.',
  },
} as const satisfies Record<PublicCode, { cause: string; fix: string }>
