import type { ErrorCode } from '#server/errors'

/** The part of the manifest (specification §2.3) that a player needs. */
export interface Manifest {
  masterPlaylistUrl: string
  /** Seconds; where the viewer stopped. */
  resumeAt?: number
  /** What is drawn over the video. */
  watermark?: { label: string }
}

export type Exchange =
  | { ok: true; manifest: Manifest }
  /** `code` is undefined when the service did not respond. */
  | { ok: false; code?: ErrorCode; requestId?: string; reason?: string }

interface Refusal {
  code: ErrorCode
  requestId: string
  details?: { reason?: string }
}

const ATTEMPTS = 3
const TIMEOUT_MS = 15_000
/** Identifies this page, which may repeat its exchange of a share link's token. Not `randomUUID`, which browsers offer over https only. */
const EXCHANGE_ID = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Exchanges the token for the master playlist's address. Never throws; attempts three times when the network fails. */
export async function exchange(api: string, videoId: string, token: string): Promise<Exchange> {
  const url = `${api}/v1/video/playback/manifest/${encodeURIComponent(token)}?videoId=${encodeURIComponent(videoId)}&exchangeId=${EXCHANGE_ID}`
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, {
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const body = (await response.json()) as { success: true; data: Manifest } | { success: false; error: Refusal }
      if (body.success) return { ok: true, manifest: body.data }
      const { code, requestId, details } = body.error
      return { ok: false, code, requestId, reason: details?.reason }
    } catch {
      if (attempt === ATTEMPTS || !navigator.onLine) return { ok: false }
      await new Promise((resolve) => setTimeout(resolve, 500 * attempt))
    }
  }
}
