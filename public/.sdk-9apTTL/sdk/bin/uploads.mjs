// `reelgate uploads` and `reelgate cancel UPLOAD…`
import { retryText } from './import.mjs'
import { Stop } from './stop.mjs'

const OPEN = 'waiting,uploading'

/** Prints one line for each upload that keys of the account created, by default for the open ones. */
export async function listUploads(call, { status = OPEN }) {
  let count = 0
  for (let cursor = ''; cursor !== null; ) {
    const query = new URLSearchParams({ status, ...(cursor && { cursor }) })
    const { data, pagination } = await call(`/v1/upload?${query}`)
    for (const upload of data) console.log(lineOf(upload))
    count += data.length
    cursor = pagination.nextCursor
  }
  if (count === 0) console.log(`No upload is ${status.replaceAll(',', ' or ')}.`)
}

function lineOf({ uploadId, status, bytesReceived, bytesTotal, videoId, failureCode, retry, title, externalId, createdAt }) {
  const share = status === 'uploading' && bytesTotal ? ` ${Math.floor((100 * bytesReceived) / bytesTotal)} %` : ''
  const name = [title, externalId].filter(Boolean).join('  ')
  return [uploadId, createdAt, `${status}${share}`, videoId ?? failureCode, name, retry && retryText(retry)].filter(Boolean).join('  ')
}

/** Cancels uploads, one after the other. */
export async function cancelUploads(call, ids) {
  if (ids.length === 0) throw new Stop('Specify uploads: reelgate cancel upl_7gQ2mLw0Zt4Bc9Xr1VnKpD')
  for (const id of ids) {
    await call(`/v1/upload/${encodeURIComponent(id)}`, 'DELETE')
    console.log(`cancelled  ${id}`)
  }
}
