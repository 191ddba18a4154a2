import type { OutgoingHttpHeaders } from 'node:http'
import { type ClientResponse, send } from './client.ts'

interface Sent {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string
  key?: string
}

/** Returns a function that calls an address under `/v1/video/` with a key, the given one unless the call states another. */
export const videoCalls =
  (baseUrl: string, key: () => string) =>
  (path: string, { key: own = key(), headers, ...request }: Sent = {}) =>
    send(`${baseUrl}/v1/video/${path}`, { ...request, headers: { 'x-service-key': own, ...headers } })

export interface Said {
  status: number
  code?: string
  details?: unknown
  data?: Record<string, unknown>
}

/** Returns what a response says, without the envelope. */
export function said({ status, body }: Pick<ClientResponse, 'status' | 'body'>): Said {
  const { data, error } = JSON.parse(body)
  return error ? { status, code: error.code, details: error.details } : { status, data }
}

/** The nine fields of a Video object (specification §2.1). */
export const VIDEO_FIELDS = [
  ...['completedAt', 'createdAt', 'description', 'durationSec', 'id', 'qualities', 'status', 'targetQuality', 'title'],
]
export const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nGood morning\n'
