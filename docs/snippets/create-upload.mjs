// Node 20 or newer, without packages. Run this in your backend, once it knows who is asking.
const { REELGATE_URL, REELGATE_API_KEY, PAGE_ORIGIN } = process.env

export async function createUpload({ title, lessonId }) {
  const response = await fetch(`${REELGATE_URL}/v1/upload`, {
    method: 'POST',
    headers: {
      'x-service-key': REELGATE_API_KEY,
      'Content-Type': 'application/json',
      // A retry returns the same upload; after a failure, a new one.
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
