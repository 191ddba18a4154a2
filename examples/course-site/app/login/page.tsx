import { redirect } from 'next/navigation'
import { checkPassword } from '../../lib/db'
import { signIn } from '../../lib/session'

export default async function Login({ searchParams }: { searchParams: Promise<{ failed?: string }> }) {
  const { failed } = await searchParams
  async function enter(form: FormData) {
    'use server'
    const user = checkPassword(String(form.get('email')), String(form.get('password')))
    if (!user) redirect('/login?failed=1')
    await signIn(user)
    redirect('/')
  }
  return (
    <>
      <h1>Sign in</h1>
      {failed && <p role="alert">The email or the password is wrong.</p>}
      <form action={enter} className="fields">
        <label>
          Email
          <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </>
  )
}
