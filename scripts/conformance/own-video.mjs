/** Starts like Matroska, so that it is accepted. It cannot be transcoded, and becomes FAILED. */
const FILE = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(4_096)])

/**
 * Returns what the section `writes` creates: `video()` uploads one file and resolves with the video, the same at each call; `remove()`
 * deletes it and everything in `removals`, functions that later calls of the run need not repeat.
 */
export function makeOwn(client, key) {
  const removals = []
  const mark = `conformance-${Date.now().toString(36)}-${Math.floor(Math.random() * 1e9).toString(36)}`
  let made
  return {
    mark,
    removals,
    video() {
      made ??= uploadVideo(client, key, mark)
      return made
    },
    async remove() {
      for (const removal of removals.reverse()) await removal()
      const video = await made?.catch(() => undefined)
      if (video) await client.request(`/v1/video/${video.id}`, { method: 'DELETE', key })
    },
  }
}

async function uploadVideo(client, key, mark) {
  const body = JSON.stringify({ title: `Conformance ${mark}`, externalId: mark, metadata: { conformance: mark }, maxBytes: FILE.length })
  const created = await client.request('/v1/upload', { method: 'POST', key, headers: { 'content-type': 'application/json' }, body })
  const { uploadUrl, uploadId } = created.json?.data ?? {}
  if (!uploadUrl) throw new Error(`POST /v1/upload returned ${created.status} ${created.text.slice(0, 200)}`)
  const put = await client.fetch(uploadUrl, {}, { method: 'PUT', body: FILE })
  const id = put.headers['x-video-id']
  if (put.status !== 200 || !id) throw new Error(`PUT of a file returned ${put.status} ${put.text.slice(0, 200)}`)
  return { id, uploadId, uploadUrl, bytes: FILE.length }
}
