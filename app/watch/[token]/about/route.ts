import { findShared } from '#server/modules/delivery/sharing/open-link'
import { answer } from '../_parts/answer.ts'

/** Returns what a watch page shows before the video plays. */
export async function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  const { token } = await params
  return answer(request, (client) => findShared(client, token))
}
