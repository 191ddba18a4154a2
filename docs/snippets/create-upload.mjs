// Node 20 or later, without packages. Run this once your backend has checked who may upload.
const { REELGATE_URL, REELGATE_API_KEY, PAGE_ORIGIN } = process.env

export async function createUpload({ title, lessonId }) {
  const response = await fetch(`${REELGATE_URL}/v1/upload`, {
    method: 'POST',
    headers: {
      'x-service-key': REELGATE_API_KEY,
      'Content-Type': 'application/json',
      // A retry returns the same upload, or a new one if that has failed.
      'Idempotency-Key': `upload-${lessonId}`,
    },
    body: JSON.stringify({ title, externalId: lessonId, allowedOrigin: PAGE_ORIGIN, maxBytes: 5_000_000_000, expiresInSec: 3_600 }),
    signal: AbortSignal.timeout(10_000),
  })
  const { success, data, error } = await response.json()
  if (!success) throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
  // Give uploadUrl to the browser, and keep uploadId.
  return data
}

console.log((await createUpload({ title: 'Lesson 42', lessonId: 'lesson-42' })).uploadUrl)
