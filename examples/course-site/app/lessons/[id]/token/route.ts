import { lesson } from '../../../../lib/db'
import { tokenFor } from '../../../../lib/reelgate'
import { currentUser } from '../../../../lib/session'

/** Returns a new token for a page that the browser shows from its cache. */
export async function POST(_request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const user = await currentUser()
  if (!user) return new Response(null, { status: 401 })
  const found = lesson((await params).id)
  if (found?.state !== 'ready' || !found.videoId) return new Response(null, { status: 404 })
  const token = await tokenFor(user, found.videoId)
  return Response.json({ token }, { headers: { 'cache-control': 'no-store' } })
}
