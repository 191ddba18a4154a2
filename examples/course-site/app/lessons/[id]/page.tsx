import { notFound } from 'next/navigation'
import { lesson } from '../../../lib/db'
import { tokenFor } from '../../../lib/reelgate'
import { requireUser } from '../../../lib/session'
import { Player } from './Player'

export const dynamic = 'force-dynamic'

/** Gives each view its own token, once the site has checked the user. */
export default async function Watch({ params }: { params: Promise<{ id: string }> }) {
  const user = await requireUser()
  const { id } = await params
  const found = lesson(id)
  if (found?.state !== 'ready' || !found.videoId) notFound()
  const token = await tokenFor(user, found.videoId)
  return (
    <>
      <h1>{found.title}</h1>
      <Player lessonId={id} token={token} serviceUrl={process.env.REELGATE_URL ?? ''} />
    </>
  )
}
