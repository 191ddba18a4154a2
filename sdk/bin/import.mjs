// `reelgate import --from urls.csv | s3://bucket/prefix`
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { itemsOfBucket, itemsOfCsv } from './sources.mjs'
import { causeOf, messageOf, Stop } from './stop.mjs'
import { workThrough } from './work-list.mjs'

const POLL_MS = 2_000
const ATTEMPTS = 5

/** Requests that the service downloads each URL, and waits for each. Returns the number of failures. */
export async function importAll(given, { parallel, state }) {
  if (!given.from) throw new Stop('Specify what to import: reelgate import --from urls.csv, or --from s3://bucket/prefix')
  const items = given.from.startsWith('s3://') ? await itemsOfBucket(given.from) : await itemsOfCsv(given.from)
  if (items.length === 0) throw new Stop(`Nothing to import at ${given.from}.`)

  async function begin(item) {
    const fields = await item.fields()
    if (!URL.canParse(fields.url ?? '')) throw new Error('This is not a URL.')
    const video = given.quality ? { targetQuality: given.quality, ...fields } : fields
    const { uploadId } = await request(given, 'POST', '/v1/video/import', video)
    state.set(item.key, { uploadId })
    return uploadId
  }

  async function work(item, onProgress, note) {
    const before = state.get(item.key)?.uploadId
    let uploadId = before ?? (await begin(item))
    let noted
    for (;;) {
      const isEarlier = uploadId === before
      const found = await request(given, 'GET', `/v1/upload/${uploadId}`).catch((error) => {
        if (error.code !== 'UPLOAD_NOT_FOUND' || !isEarlier) throw error
        return { status: 'expired' }
      })
      if (found.status === 'completed') return found.videoId
      if (found.status === 'failed' || found.status === 'expired') {
        state.set(item.key, undefined)
        // The failure of an earlier run: begin again.
        if (!isEarlier)
          throw new Error(`${found.failureCode ?? found.status}: ${found.failureReason ?? 'The import ended without a video.'}`)
        uploadId = await begin(item)
      } else {
        // A failed attempt is printed once. Services of earlier versions have no `retry`.
        if (found.retry?.nextAttemptAt && found.retry.failedAt !== noted) {
          noted = found.retry.failedAt
          note(retryText(found.retry))
        }
        onProgress(found.bytesTotal ? found.bytesReceived / found.bytesTotal : 0)
        await wait(POLL_MS)
      }
    }
  }

  return workThrough(items, { parallel, state, work })
}

/** Returns why the last attempt of an import failed, and when the next one begins. */
export const retryText = ({ failureCode, failureReason, attempts, maxAttempts, nextAttemptAt }) =>
  `${failureCode}: ${failureReason} Attempt ${attempts} of ${maxAttempts}${nextAttemptAt ? `; the next one begins at ${nextAttemptAt}` : ''}.`

/** Calls the service and returns `data`. Repeats a request while the service is busy; an idempotency key makes that safe. */
async function request(given, method, path, body) {
  const headers = { 'x-service-key': given['api-key'], 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  for (let attempt = 1; ; attempt++) {
    const sent = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000) }
    const response = await fetch(new URL(path, given.url), sent).catch((error) => ({ error }))
    const answer = response.error ? undefined : await response.json().catch(() => undefined)
    if (answer?.success) return answer.data
    const { code, retryAfter } = answer?.error ?? {}
    // The account has as many unfinished imports as it may: that is a matter of time.
    const isBusy = code === 'TOO_MANY_ATTEMPTS'
    const isLost = !answer || response.status >= 500
    if (isBusy || (isLost && attempt < ATTEMPTS)) await wait(Math.min(60, retryAfter ?? 2 ** attempt) * 1_000)
    else {
      const reason = code
        ? messageOf(answer.error)
        : `${given.url} did not respond (${response.error ? causeOf(response.error) : response.status}).`
      if (response.status === 401 || code === 'INSUFFICIENT_SCOPE' || code === 'NOT_FOUND') throw new Stop(reason)
      throw Object.assign(new Error(reason), { code })
    }
  }
}
