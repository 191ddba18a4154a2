// Node 20 or later, without packages. Prints the ten most played videos of the last seven whole days.
const DAY_MS = 86_400_000
const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10)

/** Yields the plays of every video, newest video first. */
async function* playsByVideo(range) {
  let cursor = null
  do {
    const query = new URLSearchParams({ ...range, groupBy: 'video', ...(cursor && { cursor }) })
    const response = await fetch(`${process.env.REELGATE_URL}/v1/analytics/plays?${query}`, {
      headers: { 'x-service-key': process.env.REELGATE_API_KEY ?? '' },
      signal: AbortSignal.timeout(10_000),
    })
    const { success, data, error, pagination } = await response.json()
    if (!success) throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
    yield* data.groups
    cursor = pagination.nextCursor
  } while (cursor)
}

const today = Date.now()
const videos = []
for await (const video of playsByVideo({ from: dayOf(today - 7 * DAY_MS), to: dayOf(today - DAY_MS) })) videos.push(video)
videos.sort((a, b) => b.plays - a.plays)
for (const { value, plays, watchedSec } of videos.slice(0, 10)) console.log(value, plays, `${Math.round(watchedSec / 60)} min`)
