import { Reelgate, ReelgateError, type VideoViewer, type ViewerVideo } from '@reelgate/sdk'
import type { User } from './db'

/** The client, which reads REELGATE_URL and REELGATE_API_KEY. Use it only on the server: the key must not reach a browser. */
export const reelgate = () => new Reelgate()

/** Returns a token for one view, which starts where this user stopped. They can watch on two devices at a time. */
export async function tokenFor({ id }: User, videoId: string): Promise<string> {
  const policy = { viewer: { id }, maxSessions: 2, onLimit: 'end-oldest', resume: true } as const
  return (await reelgate().createPlaybackToken(videoId, policy)).token
}

/** Returns everyone who watched a video, the latest first. */
export async function whoWatched(videoId: string): Promise<VideoViewer[]> {
  const viewers: VideoViewer[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reelgate().viewers.listOfVideo(videoId, { limit: 1_000, ...(cursor && { cursor }) })
    viewers.push(...page.viewers)
    cursor = page.nextCursor
  }
  return viewers
}

/** Returns what a user has watched, by video. */
export async function progressOf({ id }: User): Promise<Map<string, ViewerVideo>> {
  const viewer = await ifKnown(reelgate().viewers.get(id, { limit: 1_000 }))
  return new Map(viewer?.videos.map((video) => [video.videoId, video]))
}

/** Erases what Reelgate keeps about a user. Returns the signed receipt as text; undefined if it keeps nothing. */
export async function eraseViewing({ id }: User): Promise<string | undefined> {
  const receipt = await ifKnown(reelgate().viewers.erase(id))
  return receipt && JSON.stringify(receipt, null, 2)
}

/** Resolves to undefined for a user who has watched nothing. */
const ifKnown = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error) => {
    if (error instanceof ReelgateError && error.code === 'VIEWER_NOT_FOUND') return undefined
    throw error
  })
