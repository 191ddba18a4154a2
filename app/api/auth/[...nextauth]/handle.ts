import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuth from 'next-auth'
import { ERRORS, type ServiceError } from '#server/errors'
import { authOptions } from './options'
import { refuse } from './refuse'

/** Largest form of the service: a password of 200 characters and a token. */
const MAX_FORM = 16_384

/**
 * Runs next-auth for a web request without a Next host: next-auth's own adapter for route handlers reads headers and cookies from Next's
 * request scope. `path` is the part after /api/auth.
 */
export async function handle(request: Request, path: string[]): Promise<Response> {
  const refused = refuse(request, path)
  if (refused) return refused
  // Without a length (chunked) the size is unknown; browsers always send one.
  const length = request.method === 'POST' ? Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) : 0
  if (!(length <= MAX_FORM)) return new Response('The request body is too large.', { status: 413 })
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

/** Returns the cookies; the first of each name counts, as everywhere. */
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

/** The part of Next's old response object that next-auth uses. */
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

  /** Replaces next-auth's 401, which it returns for every refusal, with the error's status and Retry-After. */
  refuse(refusal: ServiceError): void {
    this.refusal = refusal
  }

  /** Adds a cookie to those of next-auth. */
  add(cookie: string): void {
    this.cookies.push(cookie)
  }
  /** next-auth passes the whole list of cookies on each call, with one more. */
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
