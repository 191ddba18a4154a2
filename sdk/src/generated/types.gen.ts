// Written by `npm run sdk` from the API’s description. Do not edit.

export type ClientOptions = {
    baseUrl: 'http://localhost:3000' | (string & {});
};

/**
 * The wallet of the account.
 */
export type Balance = {
    /**
     * Credits left, a decimal string.
     */
    balance: string;
    unit: 'credit';
    tier: 'FREE' | 'PAID';
    /**
     * Falling below it fires `wallet.low_balance`; null when none is set.
     */
    lowBalanceThreshold: string | null;
    /**
     * When the balance last changed.
     */
    updatedAt: string;
};

/**
 * Something that happened in the account, as webhooks deliver it.
 */
export type Event = {
    /**
     * Unique; the same however often it is delivered.
     */
    eventId: string;
    eventType: 'video.processing.started' | 'video.processing.completed' | 'video.processing.failed' | 'wallet.low_balance' | 'wallet.refilled' | 'playback.token.exhausted';
    /**
     * ISO 8601 UTC.
     */
    createdAt: string;
    /**
     * What the type says: see the webhooks guide.
     */
    data: {
        [key: string]: unknown;
    };
};

/**
 * Where a player finds the video. It is for this session only: do not store it.
 */
export type PlaybackManifest = {
    /**
     * HLS master playlist.
     */
    masterPlaylistUrl: string;
    /**
     * Renditions in the master playlist, highest first.
     */
    qualities: Array<string>;
    /**
     * Whether segments are AES-128 encrypted.
     */
    encrypted: boolean;
    /**
     * Expiry of the playback token.
     */
    expiresAt: string;
    /**
     * Until when the playlist URLs of this exchange work.
     */
    sessionExpiresAt: string;
};

/**
 * A credential for one playback session of one video.
 */
export type PlaybackToken = {
    /**
     * JWT with the prefix pt_; valid for 5 minutes, for one video.
     */
    token: string;
    /**
     * Seconds until expiry.
     */
    expiresIn: number;
    /**
     * Ready-made embed URL with the token in it.
     */
    playerUrl: string;
};

/**
 * What the keys of the account did, by UTC day.
 */
export type Usage = {
    from: string;
    to: string;
    totals: {
        tokensIssued: number;
        /**
         * Refused for want of quota (429).
         */
        tokensRefused: number;
        /**
         * Authenticated requests of any kind.
         */
        requests: number;
        /**
         * What the tokens cost, a decimal string.
         */
        credits: string;
    };
    /**
     * What the account stores now, whatever span was asked for.
     */
    storage: {
        /**
         * Uploaded files.
         */
        originalBytes: number;
        /**
         * Renditions, posters, storyboards and captions.
         */
        renditionBytes: number;
        /**
         * Sizes that unfinished uploads announced.
         */
        unfinishedBytes: number;
        /**
         * The three together.
         */
        totalBytes: number;
        /**
         * Deleted videos count until they are purged, 7 days later.
         */
        videos: number;
        /**
         * What the account may have of each.
         */
        limits: {
            totalBytes: number;
            videos: number;
            unfinishedBytes: number;
        };
    };
    /**
     * A row for each key and UTC day on which it was used, by date, then by key.
     */
    days: Array<{
        date: string;
        keyId: string;
        keyName: string;
        keyPrefix: string;
        tokensIssued: number;
        /**
         * Refused for want of quota (429).
         */
        tokensRefused: number;
        /**
         * Authenticated requests of any kind.
         */
        requests: number;
        /**
         * What the tokens cost, a decimal string.
         */
        credits: string;
    }>;
};

/**
 * A video of the account. No URL is ever in it.
 */
export type Video = {
    /**
     * Opaque identifier.
     */
    id: string;
    title: string;
    description: string | null;
    status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED';
    /**
     * Length in seconds, rounded; 0 until probed.
     */
    durationSec: number;
    /**
     * Highest rendition produced.
     */
    targetQuality: string;
    /**
     * Renditions available, highest first; empty until they exist.
     */
    qualities: Array<string>;
    /**
     * When the upload finished.
     */
    createdAt: string;
    /**
     * When transcoding finished.
     */
    completedAt: string | null;
};

/**
 * What went wrong and what to do about it.
 */
export type ApiError = {
    /**
     * What programs go by.
     */
    code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_SCOPE' | 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'VIDEO_NOT_FOUND' | 'PLAYBACK_TOKEN_EXPIRED' | 'PLAYBACK_TOKEN_INVALID' | 'RATE_LIMIT_EXCEEDED' | 'INVALID_REQUEST' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'VIDEO_NOT_READY' | 'REQUEST_TIMEOUT' | 'PAYLOAD_TOO_LARGE' | 'INTERNAL_ERROR' | 'STORAGE_FULL' | 'SERVICE_UNAVAILABLE';
    /**
     * For people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status again.
     */
    status: number;
    /**
     * Seconds, the same as `Retry-After`. On 429 and 503.
     */
    retryAfter?: number;
    /**
     * The same as `X-Request-Id`. Quote it when you ask for help.
     */
    requestId: string;
    /**
     * Cause and fix of this code.
     */
    docUrl: string;
    /**
     * Specifics, e.g. which parameter is wrong.
     */
    details?: unknown;
};

export type GetBalanceData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/billing/balance';
};

export type GetBalanceErrors = {
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type GetBalanceError = GetBalanceErrors[keyof GetBalanceErrors];

export type GetBalanceResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Balance;
    };
};

export type GetBalanceResponse = GetBalanceResponses[keyof GetBalanceResponses];

export type GetUsageData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * First UTC date, `YYYY-MM-DD`; the first of this month if left out.
         */
        from?: string;
        /**
         * Last UTC date, included; today if left out.
         */
        to?: string;
    };
    url: '/v1/billing/usage';
};

export type GetUsageErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type GetUsageError = GetUsageErrors[keyof GetUsageErrors];

export type GetUsageResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Usage;
    };
};

export type GetUsageResponse = GetUsageResponses[keyof GetUsageResponses];

export type ListEventsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * `pagination.nextCursor` of the answer before. Without it the stream begins now.
         */
        cursor?: string;
        /**
         * Seconds to wait for an event when there is none yet, at most 25.
         */
        wait?: number;
        /**
         * Most events of one answer.
         */
        limit?: number;
    };
    url: '/v1/event';
};

export type ListEventsErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type ListEventsError = ListEventsErrors[keyof ListEventsErrors];

export type ListEventsResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Array<Event>;
        pagination: {
            /**
             * `cursor` of the next request.
             */
            nextCursor: string;
            /**
             * Whether more events are there already.
             */
            hasMore: boolean;
        };
    };
};

export type ListEventsResponse = ListEventsResponses[keyof ListEventsResponses];

export type CreateSampleEventData = {
    body?: never;
    path: {
        /**
         * The type of the sample.
         */
        eventType: string;
    };
    query?: never;
    url: '/v1/event/{eventType}/sample';
};

export type CreateSampleEventErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type CreateSampleEventError = CreateSampleEventErrors[keyof CreateSampleEventErrors];

export type CreateSampleEventResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Event;
    };
};

export type CreateSampleEventResponse = CreateSampleEventResponses[keyof CreateSampleEventResponses];

export type GetDescriptionData = {
    body?: never;
    headers?: {
        /**
         * An `ETag` given before; answered with 304 while it still holds.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/openapi.json';
};

export type GetDescriptionErrors = {
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type GetDescriptionError = GetDescriptionErrors[keyof GetDescriptionErrors];

export type GetDescriptionResponses = {
    /**
     * OK
     */
    200: {
        openapi: string;
        paths: {
            [key: string]: unknown;
        };
        [key: string]: unknown;
    };
};

export type GetDescriptionResponse = GetDescriptionResponses[keyof GetDescriptionResponses];

export type ListVideosData = {
    body?: never;
    headers?: {
        /**
         * An `ETag` given before; answered with 304 while it still holds.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: {
        /**
         * Opts in to pages of this many videos; 100 if only `cursor` is given.
         */
        limit?: number;
        /**
         * `pagination.nextCursor` of the page before.
         */
        cursor?: string;
    };
    url: '/v1/video';
};

export type ListVideosErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type ListVideosError = ListVideosErrors[keyof ListVideosErrors];

export type ListVideosResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Array<Video>;
        /**
         * Only where `limit` or `cursor` was given.
         */
        pagination?: {
            /**
             * `cursor` of the next page; null on the last.
             */
            nextCursor: string | null;
            hasMore: boolean;
        };
    };
};

export type ListVideosResponse = ListVideosResponses[keyof ListVideosResponses];

export type GetPlaybackManifestData = {
    body?: never;
    path: {
        /**
         * A playback token, with its prefix `pt_`.
         */
        token: string;
    };
    query?: {
        /**
         * Refuses a token bound to another video.
         */
        videoId?: string;
    };
    url: '/v1/video/playback/manifest/{token}';
};

export type GetPlaybackManifestErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `PLAYBACK_TOKEN_INVALID`: This playback token cannot be used here. Ask your backend for one issued for this video.
     *
     * `PLAYBACK_TOKEN_EXPIRED`: This playback token is older than 5 minutes. Ask your backend for a fresh one.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'PLAYBACK_TOKEN_INVALID' | 'PLAYBACK_TOKEN_EXPIRED';
            status: 401;
        };
    };
    /**
     * `VIDEO_NOT_FOUND`: There is no video with this id in your account.
     */
    404: {
        success: false;
        error: ApiError & {
            code: 'VIDEO_NOT_FOUND';
            status: 404;
        };
    };
    /**
     * `VIDEO_NOT_READY`: The video is not COMPLETED yet. Poll it every 10 to 30 seconds, then ask again.
     */
    409: {
        success: false;
        error: ApiError & {
            code: 'VIDEO_NOT_READY';
            status: 409;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type GetPlaybackManifestError = GetPlaybackManifestErrors[keyof GetPlaybackManifestErrors];

export type GetPlaybackManifestResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: PlaybackManifest;
    };
};

export type GetPlaybackManifestResponse = GetPlaybackManifestResponses[keyof GetPlaybackManifestResponses];

export type GetVideoData = {
    body?: never;
    headers?: {
        /**
         * An `ETag` given before; answered with 304 while it still holds.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * Id of a video of the account.
         */
        videoId: string;
    };
    query?: never;
    url: '/v1/video/{videoId}';
};

export type GetVideoErrors = {
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `VIDEO_NOT_FOUND`: There is no video with this id in your account.
     */
    404: {
        success: false;
        error: ApiError & {
            code: 'VIDEO_NOT_FOUND';
            status: 404;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type GetVideoError = GetVideoErrors[keyof GetVideoErrors];

export type GetVideoResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: Video;
    };
};

export type GetVideoResponse = GetVideoResponses[keyof GetVideoResponses];

export type CreatePlaybackTokenData = {
    body?: never;
    headers?: {
        /**
         * The same value for the same video within 5 minutes gives the same token, for one unit of quota.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of a video of the account.
         */
        videoId: string;
    };
    query?: never;
    url: '/v1/video/{videoId}/playback-token';
};

export type CreatePlaybackTokenErrors = {
    /**
     * `INVALID_REQUEST`: The request is not well formed. See details.
     */
    400: {
        success: false;
        error: ApiError & {
            code: 'INVALID_REQUEST';
            status: 400;
        };
    };
    /**
     * `API_KEY_REQUIRED`: Send your API key in the x-service-key header.
     *
     * `INVALID_API_KEY`: This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.
     */
    401: {
        success: false;
        error: ApiError & {
            code: 'API_KEY_REQUIRED' | 'INVALID_API_KEY';
            status: 401;
        };
    };
    /**
     * `IP_NOT_ALLOWED`: This API key may not be used from this address. Call from an allowed one, or change the allowed addresses in the dashboard.
     *
     * `ACCOUNT_SUSPENDED`: This account is suspended. Its members find the reason, and whom to ask, in the dashboard.
     *
     * `INSUFFICIENT_SCOPE`: This API key lacks the scope this endpoint needs. Create a key that has it.
     */
    403: {
        success: false;
        error: ApiError & {
            code: 'IP_NOT_ALLOWED' | 'ACCOUNT_SUSPENDED' | 'INSUFFICIENT_SCOPE';
            status: 403;
        };
    };
    /**
     * `VIDEO_NOT_FOUND`: There is no video with this id in your account.
     */
    404: {
        success: false;
        error: ApiError & {
            code: 'VIDEO_NOT_FOUND';
            status: 404;
        };
    };
    /**
     * `VIDEO_NOT_READY`: The video is not COMPLETED yet. Poll it every 10 to 30 seconds, then ask again.
     */
    409: {
        success: false;
        error: ApiError & {
            code: 'VIDEO_NOT_READY';
            status: 409;
        };
    };
    /**
     * `PAYLOAD_TOO_LARGE`: The request is larger than this address accepts.
     */
    413: {
        success: false;
        error: ApiError & {
            code: 'PAYLOAD_TOO_LARGE';
            status: 413;
        };
    };
    /**
     * `RATE_LIMIT_EXCEEDED`: The daily playback-token quota of this key is used up. It resets at UTC midnight; do not retry before.
     */
    429: {
        success: false;
        error: ApiError & {
            code: 'RATE_LIMIT_EXCEEDED';
            status: 429;
        };
    };
    /**
     * `INTERNAL_ERROR`: Something went wrong on our side. Try again, and quote the request id if it persists.
     */
    500: {
        success: false;
        error: ApiError & {
            code: 'INTERNAL_ERROR';
            status: 500;
        };
    };
    /**
     * `SERVICE_UNAVAILABLE`: The service cannot answer just now. Try again after the Retry-After seconds.
     */
    503: {
        success: false;
        error: ApiError & {
            code: 'SERVICE_UNAVAILABLE';
            status: 503;
        };
    };
};

export type CreatePlaybackTokenError = CreatePlaybackTokenErrors[keyof CreatePlaybackTokenErrors];

export type CreatePlaybackTokenResponses = {
    /**
     * OK
     */
    200: {
        success: true;
        data: PlaybackToken;
    };
};

export type CreatePlaybackTokenResponse = CreatePlaybackTokenResponses[keyof CreatePlaybackTokenResponses];
