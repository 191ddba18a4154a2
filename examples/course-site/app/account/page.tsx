import { revalidatePath } from 'next/cache'
import { forgetViewing, receiptsOf } from '../../lib/db'
import { eraseViewing } from '../../lib/reelgate'
import { requireUser } from '../../lib/session'

/** Lets users erase what they watched, here and at Reelgate, and shows the receipts. */
export default async function Account() {
  const receipts = receiptsOf(await requireUser())
  async function erase() {
    'use server'
    const user = await requireUser()
    forgetViewing(user, await eraseViewing(user))
    revalidatePath('/', 'layout')
  }
  return (
    <>
      <h1>Your data</h1>
      <p>We keep which lessons you watched, how much of each, and where you stopped. Your teacher can see it.</p>
      <form action={erase}>
        <button type="submit">Delete my viewing data</button>
      </form>
      {receipts.map(({ text, at }) => (
        <details key={at}>
          <summary>Receipt of {new Date(at).toISOString().slice(0, 10)}</summary>
          <pre>{text}</pre>
        </details>
      ))}
    </>
  )
}
