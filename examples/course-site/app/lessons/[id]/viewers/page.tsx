import { notFound } from 'next/navigation'
import { emailOf, lesson } from '../../../../lib/db'
import { whoWatched } from '../../../../lib/reelgate'
import { requireUser } from '../../../../lib/session'

export const dynamic = 'force-dynamic'

/** Shows a teacher who watched how much of a lesson. Reelgate knows the IDs of the users, and this site their names. */
export default async function Viewers({ params }: { params: Promise<{ id: string }> }) {
  await requireUser('teacher')
  const found = lesson((await params).id)
  if (!found?.videoId) notFound()
  const viewers = await whoWatched(found.videoId)
  return (
    <>
      <h1>Who watched “{found.title}”</h1>
      {viewers.length === 0 ? (
        <p>Nobody has watched this lesson yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Student</th>
              <th>Watched</th>
              <th>Completed</th>
            </tr>
          </thead>
          <tbody>
            {viewers.map(({ viewerId, watchedSec, durationSec, completedAt }) => (
              <tr key={viewerId}>
                <td>{emailOf(viewerId) ?? 'Former user'}</td>
                <td>{Math.floor((100 * watchedSec) / durationSec)}%</td>
                <td>{completedAt ? completedAt.slice(0, 10) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
