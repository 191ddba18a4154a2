import type { Metadata } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { currentUser, signOut } from '../lib/session'
import './site.css'

export const metadata: Metadata = { title: 'Course site' }

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  async function leave() {
    'use server'
    await signOut()
    redirect('/login')
  }
  return (
    <html lang="en">
      <body>
        <header>
          <Link href="/">Physics for everyone</Link>
          {user && (
            <form action={leave}>
              {user.role === 'teacher' && <Link href="/teach">Add a lesson</Link>}
              <Link href="/account">{user.email}</Link>
              <button type="submit">Sign out</button>
            </form>
          )}
        </header>
        <main>{children}</main>
      </body>
    </html>
  )
}
