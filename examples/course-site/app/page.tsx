import type { ViewerVideo } from '@reelgate/sdk'
import Link from 'next/link'
import { completedBy, lessons } from '../lib/db'
import { progressOf, reelgate } from '../lib/reelgate'
import { requireUser } from '../lib/session'
import { Refresh } from './Refresh'

const STATES = { uploading: 'Being uploaded', processing: 'Being prepared', ready: 'Ready', failed: 'Could not be prepared' }

/** Posters of the videos, by lesson. One request covers up to 100 videos. */
async function posters(): Promise<Map<string, string>> {
  const { videos } = await reelgate().listVideoPage({
    metadata: { course: 'physics' },
    status: 'COMPLETED',
    expand: 'pictures',
    limit: 100,
  })
  return new Map(videos.flatMap(({ id, pictures }) => (pictures?.poster ? [[id, pictures.poster] as const] : [])))
}

/** Says how much of a lesson a user has watched. */
function watched(progress: ViewerVideo | undefined, isCertified: boolean): string | undefined {
  if (isCertified || progress?.completedAt) return '✓ Completed'
  return progress && `${Math.floor((100 * progress.watchedSec) / progress.durationSec)} % watched`
}

export default async function Lessons() {
  const user = await requireUser()
  const { role } = user
  const shown = lessons().filter(({ state }) => role === 'teacher' || state === 'ready')
  const [pictures, progress] = await Promise.all([posters(), progressOf(user)])
  const certified = completedBy(user.id)
  return (
    <>
      <h1>Lessons</h1>
      {shown.length === 0 && <p>There are no lessons yet.</p>}
      <ul>
        {shown.map(({ id, title, videoId, state }) => {
          const poster = videoId && pictures.get(videoId)
          return (
            <li key={id}>
              {/* biome-ignore lint/performance/noImgElement: the signed URL of a picture expires, so it must not be cached by its text */}
              {poster ? <img src={poster} alt="" loading="lazy" /> : <span className="blank" />}
              {state === 'ready' ? <Link href={`/lessons/${id}`}>{title}</Link> : title}
              {videoId && <span className="state">{watched(progress.get(videoId), certified.has(videoId))}</span>}
              {role === 'teacher' && <span className="state">{STATES[state]}</span>}
              {role === 'teacher' && state === 'ready' && <Link href={`/lessons/${id}/viewers`}>Who watched</Link>}
            </li>
          )
        })}
      </ul>
      {/* A lesson can be watched before its poster exists. */}
      <Refresh while={shown.some(({ state, videoId }) => state !== 'failed' && !(videoId && pictures.has(videoId)))} />
    </>
  )
}
