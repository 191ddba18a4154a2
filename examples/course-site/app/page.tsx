import Link from 'next/link'
import { lessons } from '../lib/db'
import { reelgate } from '../lib/reelgate'
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

export default async function Lessons() {
  const { role } = await requireUser()
  const shown = lessons().filter(({ state }) => role === 'teacher' || state === 'ready')
  const pictures = await posters()
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
              {role === 'teacher' && <span className="state">{STATES[state]}</span>}
            </li>
          )
        })}
      </ul>
      {/* A lesson can be watched before its poster exists. */}
      <Refresh while={shown.some(({ state, videoId }) => state !== 'failed' && !(videoId && pictures.has(videoId)))} />
    </>
  )
}
