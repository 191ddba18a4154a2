import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuth from 'next-auth'
import { ERRORS, type ServiceError } from '#server/errors'
import { authOptions } from './options'
import { refuse } from './refuse'

/** Largest form of ours: a password of 200 characters and a token. */
const MAX_FORM = 16_384

/**
 * next-auth, for a request of the web and without a Next host around it: next-auth's own adapter for route handlers takes headers and
 * cookies from Next's request scope. `path` is what follows /api/auth.
 */
export async function handle(request: Request, path: string[]): Promise<Response> {
  const refused = refuse(request, path)
  if (refused) return refused
  // Without a length (chunked) nobody knows how much will come; browsers always send one.
  const length = request.method === 'POST' ? Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) : 0
  if (!(length <= MAX_FORM)) return new Response('This form is larger than ours.', { status: 413 })
  const text = length > 0 ? await request.text() : ''
  const asked = {
    method: request.method,
    query: { ...Object.fromEntries(new URL(request.url).searchParams), nextauth: path },
    headers: Object.fromEntries(request.headers),
    cookies: cookiesOf(request.headers.get('cookie')),
    body: Object.fromEntries(new URLSearchParams(text)),
  }
  const answer = new Answer()
  const aside = { setCookie: (cookie: string) => answer.add(cookie), refused: (refusal: ServiceError) => answer.refuse(refusal) }
  await NextAuth(asked as unknown as NextApiRequest, answer as unknown as NextApiResponse, authOptions(request.headers, aside))
  return answer.response()
}

/** The first of a name counts, as everywhere. */
function cookiesOf(header: string | null): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of header?.split(';') ?? []) {
    const cut = part.indexOf('=')
    const name = part.slice(0, Math.max(0, cut)).trim()
    if (name && !(name in found)) found[name] = decoded(part.slice(cut + 1).trim())
  }
  return found
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** As much of Next's old response as next-auth uses. */
class Answer {
  private readonly headers = new Headers()
  private code = 200
  private body: string | null = null

  status(code: number): this {
    this.code = code
    return this
  }
  getHeader(name: string): string[] {
    return name === 'Set-Cookie' ? this.headers.getSetCookie() : []
  }
  private readonly cookies: string[] = []
  private refusal: ServiceError | undefined

  /** next-auth answers every refusal with 401; this one is answered with the status of the table and when to try again. */
  refuse(refusal: ServiceError): void {
    this.refusal = refusal
  }

  /** One more cookie, beside next-auth's own. */
  add(cookie: string): void {
    this.cookies.push(cookie)
  }
  /** Cookies come as the whole list, each time with one more. */
  setHeader(name: string, value: string | string[]): this {
    this.headers.delete(name)
    for (const one of [value].flat()) this.headers.append(name, one)
    return this
  }
  json(value: unknown): void {
    this.headers.set('Content-Type', 'application/json')
    this.body = JSON.stringify(value)
  }
  send(value: unknown): void {
    if (typeof value === 'string' || value === undefined) this.body = value ?? null
    else this.json(value)
  }
  end(): void {}
  response(): Response {
    if (!this.headers.has('Cache-Control')) this.headers.set('Cache-Control', 'no-store')
    for (const cookie of this.cookies) this.headers.append('Set-Cookie', cookie)
    if (this.refusal) this.headers.set('Retry-After', String(this.refusal.extras.retryAfter))
    return new Response(this.body, { status: this.refusal ? ERRORS[this.refusal.code].status : this.code, headers: this.headers })
  }
}
