// `reelgate viewer show ID`, `reelgate viewer end ID` and `reelgate viewer erase ID`
import { Stop } from './stop.mjs'

function pathOf(id) {
  if (!id) throw new Stop('Specify a viewer by your own ID: reelgate viewer show student-42')
  return `/v1/viewer/${encodeURIComponent(id)}`
}

/** Prints what the service keeps about a viewer as JSON, with every video. */
export async function showViewer(call, id) {
  const path = `${pathOf(id)}?limit=1000`
  const { data, pagination } = await call(path)
  for (let cursor = pagination.nextCursor; cursor !== null; ) {
    const page = await call(`${path}&cursor=${encodeURIComponent(cursor)}`)
    data.videos.push(...page.data.videos)
    cursor = page.pagination.nextCursor
  }
  console.log(JSON.stringify(data, null, 2))
}

/** Ends the sessions of a viewer. */
export async function endViewer(call, id) {
  const { data } = await call(`${pathOf(id)}/end`, 'POST')
  console.log(`ended  ${data.ended}  ${data.id}`)
}

/** Erases a viewer, and prints the signed receipt, which `reelgate verify-receipt` reads. */
export async function eraseViewer(call, id) {
  const { data } = await call(pathOf(id), 'DELETE')
  console.log(JSON.stringify(data, null, 2))
}
