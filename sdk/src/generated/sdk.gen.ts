// Written by `npm run sdk` from the API’s description. Do not edit.

import { client } from './client.gen.js';
import type { Client, ClientMeta, Options as Options2, RequestResult, TDataShape } from './client/index.js';
import type { CreatePlaybackTokenData, CreatePlaybackTokenErrors, CreatePlaybackTokenResponses, CreateSampleEventData, CreateSampleEventErrors, CreateSampleEventResponses, GetBalanceData, GetBalanceErrors, GetBalanceResponses, GetDescriptionData, GetDescriptionErrors, GetDescriptionResponses, GetPlaybackManifestData, GetPlaybackManifestErrors, GetPlaybackManifestResponses, GetUsageData, GetUsageErrors, GetUsageResponses, GetVideoData, GetVideoErrors, GetVideoResponses, ListEventsData, ListEventsErrors, ListEventsResponses, ListVideosData, ListVideosErrors, ListVideosResponses } from './types.gen.js';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

/**
 * Get the balance
 *
 * What is left in the wallet of the account. A token on the paid tier costs 0.0005 credit, taken as it is issued.
 */
export const getBalance = <ThrowOnError extends boolean = false>(options?: Options<GetBalanceData, ThrowOnError>): RequestResult<GetBalanceResponses, GetBalanceErrors, ThrowOnError> => (options?.client ?? client).get<GetBalanceResponses, GetBalanceErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/billing/balance',
    ...options
});

/**
 * Get usage
 *
 * What each API key did on each UTC day, this month so far unless a span is given; at most 366 days. Counts of requests follow within seconds, tokens and credits at once.
 */
export const getUsage = <ThrowOnError extends boolean = false>(options?: Options<GetUsageData, ThrowOnError>): RequestResult<GetUsageResponses, GetUsageErrors, ThrowOnError> => (options?.client ?? client).get<GetUsageResponses, GetUsageErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/billing/usage',
    ...options
});

/**
 * Follow events
 *
 * Events of the account after `cursor`, oldest first; what `npx -p @reelgate/sdk reelgate listen` reads while you develop. The first answer holds none and says where the stream stands. None is left out, however many come at once.
 */
export const listEvents = <ThrowOnError extends boolean = false>(options?: Options<ListEventsData, ThrowOnError>): RequestResult<ListEventsResponses, ListEventsErrors, ThrowOnError> => (options?.client ?? client).get<ListEventsResponses, ListEventsErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/event',
    ...options
});

/**
 * Fire a sample event
 *
 * For those who follow the events, as `npx -p @reelgate/sdk reelgate listen` does; registered endpoints are not sent it. Its data is made up.
 */
export const createSampleEvent = <ThrowOnError extends boolean = false>(options: Options<CreateSampleEventData, ThrowOnError>): RequestResult<CreateSampleEventResponses, CreateSampleEventErrors, ThrowOnError> => (options.client ?? client).post<CreateSampleEventResponses, CreateSampleEventErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/event/{eventType}/sample',
    ...options
});

/**
 * Get this description
 *
 * OpenAPI 3.1, without an envelope.
 */
export const getDescription = <ThrowOnError extends boolean = false>(options?: Options<GetDescriptionData, ThrowOnError>): RequestResult<GetDescriptionResponses, GetDescriptionErrors, ThrowOnError> => (options?.client ?? client).get<GetDescriptionResponses, GetDescriptionErrors, ThrowOnError>({ url: '/v1/openapi.json', ...options });

/**
 * List videos
 *
 * Every video of the account, newest first. Without parameters the response holds all of them.
 */
export const listVideos = <ThrowOnError extends boolean = false>(options?: Options<ListVideosData, ThrowOnError>): RequestResult<ListVideosResponses, ListVideosErrors, ThrowOnError> => (options?.client ?? client).get<ListVideosResponses, ListVideosErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/video',
    ...options
});

/**
 * Exchange a playback token for the manifest
 *
 * The token is the only credential; an API key, if sent, is ignored.
 */
export const getPlaybackManifest = <ThrowOnError extends boolean = false>(options: Options<GetPlaybackManifestData, ThrowOnError>): RequestResult<GetPlaybackManifestResponses, GetPlaybackManifestErrors, ThrowOnError> => (options.client ?? client).get<GetPlaybackManifestResponses, GetPlaybackManifestErrors, ThrowOnError>({ url: '/v1/video/playback/manifest/{token}', ...options });

/**
 * Get a video
 *
 * Poll it every 10 to 30 seconds until the status is COMPLETED or FAILED.
 */
export const getVideo = <ThrowOnError extends boolean = false>(options: Options<GetVideoData, ThrowOnError>): RequestResult<GetVideoResponses, GetVideoErrors, ThrowOnError> => (options.client ?? client).get<GetVideoResponses, GetVideoErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/video/{videoId}',
    ...options
});

/**
 * Generate a playback token
 *
 * A fresh token for each playback session; valid for 5 minutes, for this video only. For servers: it needs the API key.
 */
export const createPlaybackToken = <ThrowOnError extends boolean = false>(options: Options<CreatePlaybackTokenData, ThrowOnError>): RequestResult<CreatePlaybackTokenResponses, CreatePlaybackTokenErrors, ThrowOnError> => (options.client ?? client).post<CreatePlaybackTokenResponses, CreatePlaybackTokenErrors, ThrowOnError>({
    security: [{ name: 'x-service-key', type: 'apiKey' }],
    url: '/v1/video/{videoId}/playback-token',
    ...options
});
