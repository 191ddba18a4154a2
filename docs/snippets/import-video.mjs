// Node 20 or later, without packages.
const { REELGATE_URL, REELGATE_API_KEY, SOURCE_URL } = process.env

async function call(method, path, { body, headers } = {}) {
  const response = await fetch(REELGATE_URL + path, {
    method,
    headers: { 'x-service-key': REELGATE_API_KEY, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const { success, data, error } = await response.json()
  if (!success) throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
  return data
}

export function importVideo({ url, title, lessonId }) {
  // A retry returns the same import, or a new one if that has failed.
  const headers = { 'Idempotency-Key': `import-${lessonId}` }
  return call('POST', '/v1/video/import', { body: { url, title, externalId: lessonId }, headers })
}

let { uploadId, status, ...result } = await importVideo({ url: SOURCE_URL, title: 'Lesson 42', lessonId: 'lesson-42' })
// With webhooks, wait for video.created and upload.failed instead.
while (status === 'waiting' || status === 'uploading') {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  ;({ status, ...result } = await call('GET', `/v1/upload/${uploadId}`))
}
if (status !== 'completed') throw new Error(`${result.failureCode}: ${result.failureReason}`)
console.log(result.videoId)
