import type { ERRORS, ErrorCode } from './errors.ts'

/** The codes that the REST API returns: all except the dashboard's own. */
export type PublicCode = { [Code in ErrorCode]: (typeof ERRORS)[Code] extends { dashboard: true } ? never : Code }[ErrorCode]

/** The cause and the fix of each error. A missing code is a compile error. */
export const ERROR_HELP = {
  API_KEY_REQUIRED: {
    cause: 'The x-service-key header is missing or empty, often because an environment variable is not set.',
    fix: 'Send the key in the x-service-key header. If a proxy strips unknown headers, configure it to forward this one.',
  },
  INVALID_API_KEY: {
    cause: 'The key was revoked or disabled, has expired, or is unknown: mistyped, truncated, or created in another deployment.',
    fix: 'Compare its first 12 characters with the keys in the dashboard. Enable a disabled key, extend an expired one, or replace a revoked or unknown one.',
  },
  INSUFFICIENT_SCOPE: {
    cause: 'The key is valid but lacks the scope named in details.needs.',
    fix: 'Add the scope to the key on its page in the dashboard, or create a key that has it.',
  },
  IP_NOT_ALLOWED: {
    cause:
      'The key accepts requests only from a list of IP addresses, and this request came from another one. details.address is the address that we saw: behind NAT or a proxy, the address of the NAT or proxy.',
    fix: 'Add the address or its network to the key in the dashboard; the change takes effect immediately. If every request shows the same address, the operator must set TRUST_PROXY for the reverse proxy.',
  },
  ACCOUNT_SUSPENDED: {
    cause: 'The operator of this service suspended the account that owns this key. The key itself is valid.',
    fix: 'Sign in to the dashboard to see the reason and a contact. The key works again once the account is restored.',
  },
  VIDEO_NOT_FOUND: {
    cause:
      'The key’s account has no video with this ID: the ID is wrong, the video was deleted, or another account owns it. On the manifest endpoint, the video was deleted after you requested the token.',
    fix: 'Use IDs from the list endpoint, and a key from the account that uploaded the video.',
  },
  VIEWER_NOT_FOUND: {
    cause: 'No player has exchanged a token that names this viewer, their data was deleted, or they have not watched the video.',
    fix: 'Use the ID that your backend sends as viewer.id in the token request. A viewer exists once a player has exchanged such a token.',
  },
  CAPTIONS_CONFLICT: {
    cause:
      'details.reason is OFF if this installation has no speech-to-text engine, LANGUAGE if its engine does not understand the language, UPLOADED if the video has captions in that language that we did not generate, EDITED if somebody edited the generated ones, and FULL if it has captions in 40 languages.',
    fix: 'For EDITED, send replace: true; the version history keeps the edits. For UPLOADED and FULL, delete captions first. For OFF and LANGUAGE, ask the operator.',
  },
  PLAYBACK_TOKEN_EXPIRED: {
    cause:
      'The token has expired, after 5 minutes or its expiresInSec. Typically, the page was cached or reopened from the browser history. On playlists and keys, the playback session expired, or the owner ended it (details.reason is PLAYBACK_ENDED).',
    fix: 'Request the token when the viewer opens the page, not at build time, and never cache a page that contains one.',
  },
  PLAYBACK_TOKEN_INVALID: {
    cause: 'The token was truncated or modified, was signed by another deployment, or was issued for another video.',
    fix: 'Pass token or playerUrl on unchanged, including the pt_ prefix. Request the token for the video that you want to play.',
  },
  PLAYBACK_NOT_ALLOWED: {
    cause:
      'Your backend requested the token with a policy that excludes this request. details.reason is COUNTRY (the address is in another country, given in details.country, or in an unknown one), ADDRESS (another network), HEIGHT (a higher rendition) or SESSIONS (the viewer may have details.maxSessions sessions, and already has details.sessions).',
    fix: 'Request a token whose countries, addresses or maxHeight include the viewer. A session stops counting when its player closes, or 60 seconds after its last request; with onLimit end-oldest, the oldest session ends instead. If every viewer appears to have the same address, the operator must set TRUST_PROXY for the reverse proxy.',
  },
  RATE_LIMIT_EXCEEDED: {
    cause:
      'The key has used its daily quota of playback tokens. On the paid tier, the free quota is used up, and the balance is empty or you reached a spending cap (see details.reason). On either tier, your keys together may have used the account’s free tokens (ACCOUNT_FREE_QUOTA). You can still read videos.',
    fix: 'Wait for the number of seconds in Retry-After. The quota resets at midnight UTC, and retries fail until then. Request one token per view, and send an Idempotency-Key so that retries use no quota. See Limits.',
  },
  INVALID_REQUEST: {
    cause:
      'A parameter, a header or the body has an invalid value. details lists each one with its location, name and problem. An upload URL returns this error for a file that is not a video.',
    fix: 'Correct the values listed in details, or send a video to a new upload. Do not retry unchanged: the request would fail again.',
  },
  NOT_FOUND: {
    cause: 'No endpoint exists at this URL. Check for a trailing slash, a missing /v1, or videos in place of video.',
    fix: 'Compare the URL with the API reference.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The endpoint exists but does not support this method, for example GET instead of POST to issue a token.',
    fix: 'Use a method from the Allow header of the response.',
  },
  UPLOAD_NOT_FOUND: {
    cause: 'The key’s account has no upload with this ID: the ID is wrong, another account owns it, or the upload ended over 30 days ago.',
    fix: 'Use the uploadId that you received when you created the upload.',
  },
  UPLOAD_URL_INVALID: {
    cause: 'The upload URL was truncated or modified, or was signed by another deployment.',
    fix: 'Pass uploadUrl on unchanged. It contains no API key, so you can give it to a browser.',
  },
  ORIGIN_NOT_ALLOWED: {
    cause: 'A browser sent the request from a page whose origin is not allowedOrigin, or you created the upload without allowedOrigin.',
    fix: 'When you create the upload, set allowedOrigin to the scheme, host and port of your page, such as https://www.example.com. Programs that send no Origin header do not need it.',
  },
  UPLOAD_CONFLICT: {
    cause:
      'The upload is already complete (details.status is completed), Upload-Offset does not match the bytes received so far, or another connection is sending this upload.',
    fix: 'Request the offset with HEAD and resume from there, as tus clients do. To remove a completed upload, delete its video.',
  },
  UPLOAD_EXPIRED: {
    cause: 'The upload was not complete by its expiresAt. The data that we received was removed.',
    fix: 'Create another upload. For slow connections, set a larger expiresInSec (up to 7 days).',
  },
  UPLOAD_FAILED: {
    cause: 'The upload was cancelled, or the file is not a video. details.failureCode and details.failureReason say why.',
    fix: 'Create another upload.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause:
      'The same API key sent a request with this Idempotency-Key and a different body within 24 hours, or, for a playback token, for a different video within 5 minutes.',
    fix: 'Use a new value for each operation. When you retry an operation, send the same value and body.',
  },
  DOWNLOADS_DISABLED: {
    cause: 'Downloads are off for this account, which is the default.',
    fix: 'An owner can turn them on in the dashboard settings. To play the video, request a playback token.',
  },
  DOWNLOAD_TOO_LARGE: {
    cause: 'The MP4 in this quality alone exceeds the account’s limit. details.sizeBytes and details.limitBytes give both sizes.',
    fix: 'Request a lower quality, or the original file. Support can raise the limit.',
  },
  VIDEO_NOT_READY: {
    cause:
      'The video is queued, being transcoded, or failed, and not even its beginning is ready to play. details.status gives its status. No quota was used.',
    fix: 'Poll the video every 10 to 30 seconds until it is COMPLETED, or wait for the video.playable event. If it is FAILED, find the reason in the dashboard and retry it there.',
  },
  REQUEST_TIMEOUT: {
    cause: 'The request headers took longer than 15 seconds, the body exceeded its timeout, or an upload fell below the minimum rate.',
    fix: 'Send the request again. To resume an upload, request its offset with HEAD, then send the rest.',
  },
  PAYLOAD_TOO_LARGE: {
    cause:
      'The request body is larger than the endpoint accepts: 64 KiB of JSON, 2 MB for an image, 4 MB for captions, and for an upload URL, maxBytes or this service’s limit.',
    fix: 'Send a smaller body, or create the upload with a larger maxBytes. Endpoints that expect no body ignore one of up to 64 KiB.',
  },
  CAPTIONS_NOT_FOUND: {
    cause: 'The video has no captions in the language that the path names, or they were already removed.',
    fix: 'Use the language tag (BCP 47) that you uploaded the captions with, such as en or pt-BR.',
  },
  EXTERNAL_ID_IN_USE: {
    cause: 'Another video in the account already has this externalId. details.videoId is that video. Deleted videos do not count.',
    fix: 'Use another externalId, or remove it from the other video first. When you restore a deleted video, it gets its externalId back only if no other video has taken it.',
  },
  COLLECTION_NOT_FOUND: {
    cause: 'The key’s account has no collection with this ID: the ID is wrong, the collection was deleted, or another account owns it.',
    fix: 'Use IDs from GET /v1/collection, and a key from the account that created the collection.',
  },
  COLLECTION_NAME_IN_USE: {
    cause: 'Collection names are unique within an account, regardless of case.',
    fix: 'Use the existing collection (GET /v1/collection lists collections by name), or another name.',
  },
  COLLECTION_LIMIT_REACHED: {
    cause: 'An account can have 1,000 collections, and a video can be in 50. details.maximum is the limit that you reached.',
    fix: 'Delete an unused collection, or remove the video from one. For finer groups, use metadata, which GET /v1/video can filter by.',
  },
  PRECONDITION_FAILED: {
    cause: 'If-Match holds the ETag of an earlier version of the video. Its title, metadata, status or another value has changed since.',
    fix: 'Fetch the video again, apply your change to the new values, and send the new ETag. Without If-Match, the last change wins.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The endpoint does not accept this Content-Type or Content-Encoding. curl -d sends a form type by default.',
    fix: 'Send JSON as application/json, and a file as its own type or application/octet-stream. Do not compress the body.',
  },
  TOO_MANY_ATTEMPTS: {
    cause:
      'The account reached one of its limits: storage, unfinished uploads, videos waiting to be transcoded, video metadata, events or audit log (details.limit or details.reason), the rate of poster uploads, or the number of requests waiting at once (details.queue).',
    fix: 'Wait for the number of seconds in Retry-After. For a storage or upload limit, delete videos, shorten metadata or cancel uploads, or ask the operator for a higher limit.',
  },
  INTERNAL_ERROR: {
    cause: 'An unexpected error occurred in the service.',
    fix: 'Retry once. If it fails again, send the requestId to the operator, who can find the error in the log.',
  },
  STORAGE_FULL: {
    cause:
      'A disk of the service has less free space than its reserve, or would once all accepted uploads finish. Only uploads are refused; reads, tokens and playback continue.',
    fix: 'Resume the upload later: uploaded data is kept. The operator must free or add disk space.',
  },
  SERVICE_UNAVAILABLE: {
    cause: 'The service cannot reach its database, for example during a restart.',
    fix: 'Try again after the number of seconds in Retry-After.',
  },
} as const satisfies Record<PublicCode, { cause: string; fix: string }>
