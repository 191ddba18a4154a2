// Node 24 or later, which runs TypeScript, without packages.
interface Video {
  id: string
  title: string
}

/** Yields every video of a course, newest first. The metadata of each video names its course. */
export async function* videosOf(course: string): AsyncGenerator<Video> {
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ 'metadata[course]': course, status: 'COMPLETED', limit: '100' })
    if (cursor) query.set('cursor', cursor)
    const response = await fetch(`${process.env.REELGATE_URL}/v1/video?${query}`, {
      headers: { 'x-service-key': process.env.REELGATE_API_KEY ?? '' },
      signal: AbortSignal.timeout(10_000),
    })
    const { success, data, error, pagination } = await response.json()
    if (!success) throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
    yield* data as Video[]
    cursor = pagination.nextCursor
  } while (cursor)
}

for await (const { id, title } of videosOf(process.env.COURSE ?? '')) console.log(id, title)
