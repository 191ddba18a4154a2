import { ReelgateError } from '@reelgate/sdk'
import { createLesson } from '../../../lib/db'
import { reelgate } from '../../../lib/reelgate'
import { currentUser } from '../../../lib/session'

/** Creates a lesson and the upload of its video. The URL accepts one file of that size, only from pages of this site. */
export async function POST(request: Request): Promise<Response> {
  const refuse = (status: number, message: string) => Response.json({ message }, { status })
  const user = await currentUser()
  if (user?.role !== 'teacher') return refuse(403, 'Only a teacher can add lessons.')
  // Browsers send it with every request from a script, and another site's page can't remove or change it.
  const origin = request.headers.get('origin') ?? ''
  if (!URL.canParse(origin) || new URL(origin).host !== request.headers.get('host'))
    return refuse(403, 'Send this from a page of the site.')
  const { title, bytes } = (await request.json().catch(() => ({}))) as { title?: unknown; bytes?: unknown }
  if (typeof title !== 'string' || !title.trim() || !Number.isSafeInteger(bytes)) return refuse(400, 'Enter a title and choose a video.')
  const id = createLesson(title.trim())
  try {
    const { uploadUrl } = await reelgate().createUpload({
      title: title.trim(),
      externalId: id,
      metadata: { course: 'physics' },
      maxBytes: bytes as number,
      allowedOrigin: origin,
    })
    return Response.json({ uploadUrl }, { status: 201 })
  } catch (error) {
    if (!(error instanceof ReelgateError)) throw error
    console.error(`${error.code} (${error.requestId})`)
    return refuse(error.status < 500 ? 400 : 503, error.message)
  }
}
