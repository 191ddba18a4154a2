import type { Metadata } from 'next'
import { requireSession } from '../../../../_auth'
import { load, trpc } from '../../../../_trpc/server'

export interface VideoProps {
  params: Promise<{ videoId: string }>
}

export interface RangedVideoProps extends VideoProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

/** Loads the video that the address names, for a signed-in user. */
export async function loadVideo(params: VideoProps['params']) {
  const { videoId } = await params
  await requireSession(`/videos/${videoId}`)
  return load(trpc.video.get.queryOptions({ videoId }))
}

/** Returns the function that gives the metadata of a tab of a video's page. */
export const videoMetadata =
  (tab?: string) =>
  async ({ params }: VideoProps): Promise<Metadata> => {
    const { title } = await loadVideo(params)
    return { title: tab ? `${tab} · ${title}` : title }
  }
