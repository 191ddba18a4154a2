import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { createSession, deleteSession, type Role, type User, userOfSession } from './db'

const COOKIE = 'course-session'
const SECONDS = 8 * 3_600

export async function signIn(user: User): Promise<void> {
  const options = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: SECONDS } as const
  ;(await cookies()).set(COOKIE, createSession(user, SECONDS), options)
}

export async function signOut(): Promise<void> {
  const jar = await cookies()
  const id = jar.get(COOKIE)?.value
  if (id) deleteSession(id)
  jar.delete(COOKIE)
}

export async function currentUser(): Promise<User | undefined> {
  const id = (await cookies()).get(COOKIE)?.value
  return id ? userOfSession(id) : undefined
}

/** Returns the user, or redirects to the form. Teachers may do everything that students may. */
export async function requireUser(role: Role = 'student'): Promise<User> {
  const user = await currentUser()
  if (!user) redirect('/login')
  if (role === 'teacher' && user.role !== 'teacher') redirect('/')
  return user
}
