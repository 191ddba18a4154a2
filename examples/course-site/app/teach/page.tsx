import { requireUser } from '../../lib/session'
import { NewLesson } from './NewLesson'

export default async function Teach() {
  await requireUser('teacher')
  return (
    <>
      <h1>Add a lesson</h1>
      <NewLesson />
    </>
  )
}
