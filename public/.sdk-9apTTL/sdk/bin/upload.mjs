// `reelgate upload FILE…`
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Stop } from './stop.mjs'
import { workThrough } from './work-list.mjs'

/** The compiled client; a checkout has it after a build. */
export async function loadClient() {
  return await import('../dist/index.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Stop('The client is not built. In a checkout of Reelgate, run: npm run build')
  })
}

/** An item of one file. A changed file is another item, so that it is uploaded again. */
function itemOf(file) {
  const path = resolve(file)
  try {
    const { size, mtimeMs } = statSync(path)
    return { key: `${path} ${size} ${Math.round(mtimeMs)}`, label: basename(path), path }
  } catch (error) {
    const missing = error.code === 'ENOENT' ? new Error('There is no file at this path.') : error
    return { key: path, label: basename(path), path, missing }
  }
}

/** Uploads files, each as one video. Returns the number of failures. */
export async function upload(given, files, { parallel, state }) {
  if (files.length === 0) throw new Stop('Specify files: reelgate upload lesson-1.mp4 lesson-2.mp4')
  const { Reelgate, ReelgateError, ReelgateConnectionError, sendFile } = await loadClient()
  const reelgate = new Reelgate({ baseUrl: given.url, apiKey: given['api-key'] })
  const video = given.quality ? { targetQuality: given.quality } : {}

  const isOver = (error) =>
    (error instanceof ReelgateError || error instanceof ReelgateConnectionError) && [403, 404, 410].includes(error.status)

  async function work({ key, path, missing }, onProgress) {
    if (missing) throw missing
    const options = { onProgress: ({ bytesSent, bytesTotal }) => onProgress(bytesSent / bytesTotal) }
    const before = state.get(key)
    if (before?.uploadUrl) {
      try {
        return (await sendFile(before.uploadUrl, path, options)).videoId
      } catch (error) {
        // Expired or cancelled since: begin again.
        if (!isOver(error)) throw error
        state.set(key, undefined)
      }
    }
    const onCreated = ({ uploadId, uploadUrl }) => state.set(key, { uploadId, uploadUrl })
    return (await reelgate.uploads.fromFile(path, { ...options, video, onCreated })).videoId
  }

  return workThrough([...new Map(files.map(itemOf).map((item) => [item.key, item])).values()], { parallel, state, work })
}
