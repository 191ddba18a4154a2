import type { ERRORS, ErrorCode } from './errors.ts'

/** The codes that the REST API returns: all except the dashboard's own. */
export type PublicCode = { [Code in ErrorCode]: (typeof ERRORS)[Code] extends { dashboard: true } ? never : Code }[ErrorCode]

/** Cause and remedy of each error. A missing code is a compile error. */
export const ERROR_HELP = {
  API_KEY_REQUIRED: {
    cause: 'The x-service-key header is missing or empty. A common cause is an environment variable that is not set.',
    fix: 'Send the key in the x-service-key header. Configure proxies that remove unknown headers to forward it.',
  },
  INVALID_API_KEY: {
    cause: 'The key is unknown (mistyped, truncated, or created in another deployment), or it is revoked, disabled or expired.',
    fix: 'Compare its first 12 characters with the keys in the dashboard. Enable a disabled key, extend an expired one, and replace a revoked or unknown one with a new key.',
  },
  INSUFFICIENT_SCOPE: {
    cause: 'The key is valid but lacks the scope named in details.needs.',
    fix: 'Add the scope to the key on its page in the dashboard, or create a key that has it.',
  },
  IP_NOT_ALLOWED: {
    cause:
      'The key is valid but restricted to a list of IP addresses, and the request came from a different one. details.address is the address that the service saw; behind NAT or a proxy, it is the address of the NAT or proxy.',
    fix: 'Add the address or its network to the key in the dashboard; the change takes effect immediately. If every request shows the same address, the operator must set TRUST_PROXY for the reverse proxy.',
  },
  ACCOUNT_SUSPENDED: {
    cause: 'The operator of this service suspended the account of this key. The key itself is valid.',
    fix: 'Sign in to the dashboard to see the reason and a contact. The same key works again once the account is restored.',
  },
  VIDEO_NOT_FOUND: {
    cause:
      'The account of the key has no video with this ID: the ID is wrong, the video was deleted, or another account owns it. On the manifest endpoint: the video was deleted after the token was issued.',
    fix: 'Use IDs from the list endpoint, and a key of the account that uploaded the video.',
  },
  PLAYBACK_TOKEN_EXPIRED: {
    cause:
      'The token was issued more than 5 minutes ago. Typical of cached pages and pages reopened from the browser history. On playlists and keys: the playback session expired, or, with details.reason PLAYBACK_ENDED, the owner ended it.',
    fix: 'Issue the token when the viewer opens the page, not at build time, and never cache a page that contains one.',
  },
  PLAYBACK_TOKEN_INVALID: {
    cause: 'The token was truncated or modified, was signed by another deployment, or was issued for another video.',
    fix: 'Pass token or playerUrl on unchanged, including the prefix pt_. Request a token for the video to be played.',
  },
  RATE_LIMIT_EXCEEDED: {
    cause:
      'The key has used its daily quota of playback tokens. On the paid tier: the balance is empty or a spending cap is reached (see details.reason), and the free quota is used up. On both tiers: the keys of the account together have used its free tokens (ACCOUNT_FREE_QUOTA). Reading videos is not affected.',
    fix: 'Wait for the number of seconds in Retry-After: the quota resets at UTC midnight, so earlier retries fail. Issue one token per view, and send an Idempotency-Key so that retries do not use quota. See Limits.',
  },
  INVALID_REQUEST: {
    cause:
      'A parameter, a header or the body has an invalid value. details lists the location, name and problem of each. An upload URL responds so to a file that is not a video.',
    fix: 'Correct the values listed in details, or send a video to a new upload. The same request fails again.',
  },
  NOT_FOUND: {
    cause: 'No endpoint exists at this URL. Common causes are a trailing slash, a missing /v1, or videos instead of video.',
    fix: 'Compare the URL with the API reference.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The endpoint exists but does not support this method, for example GET instead of POST to issue a token.',
    fix: 'Use a method from the Allow header of the response.',
  },
  UPLOAD_NOT_FOUND: {
    cause:
      'The account of the key has no upload with this ID: the ID is wrong, another account owns it, or the upload ended over 30 days ago.',
    fix: 'Use the uploadId of the response that created the upload.',
  },
  UPLOAD_URL_INVALID: {
    cause: 'The upload URL was truncated or modified, or was signed by another deployment.',
    fix: 'Pass uploadUrl on unchanged. It contains no API key, so a browser may receive it.',
  },
  ORIGIN_NOT_ALLOWED: {
    cause: 'A browser sent the request from a page of another origin than allowedOrigin, or the upload was created without allowedOrigin.',
    fix: 'Create the upload with allowedOrigin: scheme, host and port of the page, such as https://www.example.com. Programs that send no Origin header do not need it.',
  },
  UPLOAD_CONFLICT: {
    cause:
      'The upload is completed already, other bytes than those that follow were sent (Upload-Offset), or another connection sends this upload at the moment. details.status is completed in the first case.',
    fix: 'tus clients request the offset with HEAD and go on from there. To remove a completed upload, delete its video.',
  },
  UPLOAD_EXPIRED: {
    cause: 'The upload was not complete at its expiresAt. What was received is removed.',
    fix: 'Create another upload, with a larger expiresInSec (up to 7 days) for slow connections.',
  },
  UPLOAD_FAILED: {
    cause: 'The upload was cancelled, or the file is not a video. details.failureCode and details.failureReason state why.',
    fix: 'Create another upload.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause:
      'A request with this Idempotency-Key and a different body was sent with the same API key within 24 hours, or, for a playback token, one for a different video within 5 minutes.',
    fix: 'Use a new value for each operation, and the same value and body for retries of one operation.',
  },
  DOWNLOADS_DISABLED: {
    cause: 'The account does not permit downloads, which is the default.',
    fix: 'An owner can permit them in the settings of the dashboard. To play the video, request a playback token.',
  },
  DOWNLOAD_TOO_LARGE: {
    cause:
      'The MP4 of this quality alone is larger than the limit of the account. details.sizeBytes and details.limitBytes hold both sizes.',
    fix: 'Request a lower quality, or the original file. Support staff can raise the limit.',
  },
  VIDEO_NOT_READY: {
    cause:
      'The video is not COMPLETED, and its beginning cannot be watched yet: it is queued, being transcoded, or failed. details.status holds its status. No quota was used.',
    fix: 'Poll the video every 10 to 30 seconds until it is COMPLETED, or wait for the event video.playable. If it is FAILED, see the reason and retry in the dashboard.',
  },
  REQUEST_TIMEOUT: {
    cause:
      'The request headers took longer than 15 seconds to arrive, the body exceeded its timeout, or an upload fell below the minimum rate.',
    fix: 'Send the request again. To resume an upload, request its offset with HEAD, then send the remaining bytes.',
  },
  PAYLOAD_TOO_LARGE: {
    cause:
      'The request body is larger than the endpoint accepts: 64 KiB of JSON, 2 MB of image, 4 MB of captions; for an upload URL, maxBytes or the limit of this service.',
    fix: 'Send a smaller body. Endpoints that expect none ignore a body of up to 64 KiB. For an upload, create one with a larger maxBytes.',
  },
  CAPTIONS_NOT_FOUND: {
    cause: 'The video has no captions in the language of the path, or they were removed before.',
    fix: 'Compare the language with the one that was uploaded: a BCP 47 tag such as en or pt-BR.',
  },
  EXTERNAL_ID_IN_USE: {
    cause: 'An externalId is unique among the videos of an account that are not deleted. details.videoId is the video that has it.',
    fix: 'Use another externalId, or remove it from the other video first. A restored video keeps its own only while no other has it.',
  },
  COLLECTION_NOT_FOUND: {
    cause:
      'The account of the key has no collection with this id: the id is wrong, the collection was deleted, or another account owns it.',
    fix: 'Use ids from GET /v1/collection, and a key of the account that created the collection.',
  },
  COLLECTION_NAME_IN_USE: {
    cause: 'Names of collections are unique in an account. Small and large letters count as the same.',
    fix: 'Use the existing collection (GET /v1/collection lists them by name), or another name.',
  },
  COLLECTION_LIMIT_REACHED: {
    cause: 'An account can have 1,000 collections, and a video can be in 50. details.maximum is the limit that was reached.',
    fix: 'Delete an unused collection, or remove the video from one. For finer groups, use metadata: GET /v1/video can filter by it.',
  },
  PRECONDITION_FAILED: {
    cause: 'If-Match names an ETag of an earlier version of the video: its title, metadata, status or another value has changed since.',
    fix: 'Read the video again, apply the change to the new values, and send the new ETag. Without If-Match the last change wins.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'Content-Type or Content-Encoding of the body is not one that the endpoint accepts. curl -d sends a form type by default.',
    fix: 'Send JSON with Content-Type: application/json, and a file with its own type or application/octet-stream, uncompressed.',
  },
  TOO_MANY_ATTEMPTS: {
    cause:
      'A limit of the account is reached: its storage, its unfinished uploads, its videos that wait to be transcoded, its texts, its events or its audit log (details.limit or details.reason), its rate of poster uploads, or the requests that it may have waiting at once (details.queue).',
    fix: 'Wait for the number of seconds in Retry-After. Beyond a limit of storage or uploads, delete, shorten or cancel what counts, or ask the operator for a higher limit.',
  },
  INTERNAL_ERROR: {
    cause: 'An unexpected error occurred in the service.',
    fix: 'Retry once. If the error persists, send the requestId to the operator, who can find the error in the log.',
  },
  STORAGE_FULL: {
    cause:
      'A disk of the service has less free space than its configured reserve, or would have once all accepted uploads finish. Only uploads are rejected; reads, tokens and playback continue.',
    fix: 'Resume the upload later; uploaded data is kept. The operator must free or add disk space.',
  },
  SERVICE_UNAVAILABLE: {
    cause: 'The service cannot reach its database, for example during a restart.',
    fix: 'Try again after the number of seconds in Retry-After.',
  },
} as const satisfies Record<PublicCode, { cause: string; fix: string }>
