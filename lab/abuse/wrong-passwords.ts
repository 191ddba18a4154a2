import { randomUUID } from 'node:crypto'
import { type Attack, ask, type Target } from './target.ts'

let form: Promise<{ csrfToken: string; cookie: string }> | undefined

async function formOf(target: Target, signal: AbortSignal): Promise<{ csrfToken: string; cookie: string }> {
  const { headers, body } = await ask(target, '/api/auth/csrf', { headers: { cookie: '' } }, signal)
  const cookies = [headers['set-cookie'] ?? []].flat()
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
  return { ...(JSON.parse(body) as { csrfToken: string }), cookie }
}

/** Signs in as unknown users from these addresses in turn; each attempt costs a password hash. */
export const wrongPasswords = (name: string, workers: number, addresses: readonly string[]): Attack => ({
  name,
  workers,
  async once(target, at, signal) {
    form ??= formOf(target, signal)
    const { csrfToken, cookie } = await form.catch((error) => {
      form = undefined
      throw error
    })
    const fields = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', csrfToken, json: 'true' }
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const address = addresses[at % addresses.length]
    const body = String(new URLSearchParams(fields))
    const asked = { method: 'POST', headers, body, ...(address && { address }) }
    return (await ask(target, '/api/auth/callback/credentials', asked, signal)).status
  },
})
