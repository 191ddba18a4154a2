import superjson, { type SuperJSONResult } from 'superjson'

/** Response of a dashboard procedure. */
export interface Called {
  status: number
  data?: unknown
  error?: { message: string; data: { code: string; details?: { path: string; message: string }[] } }
}

/** A browser without a display: keeps cookies, sends its origin, follows redirects if requested. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly base: string
  readonly userAgent: string

  constructor(base: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36') {
    this.base = base
    this.userAgent = userAgent
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Sends one request, to this site or another; the cookies of all sites share one jar. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookie, 'user-agent': this.userAgent, ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(path, this.base), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (!value || /;\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Posts a form to next-auth like the sign-in page. Resolves with the redirect address and the error code. */
  async post(path: string, fields: Record<string, string>): Promise<{ status: number; url: string; error: string | null }> {
    const { csrfToken } = (await (await this.ask('/api/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ ...fields, csrfToken, json: 'true' })
    const response = await this.ask(`/api/auth/${path}`, { method: 'POST', body, headers: { origin: this.base } })
    const { url = '' } = (await response.json()) as { url?: string }
    return { status: response.status, url, error: new URL(url, this.base).searchParams.get('error') }
  }

  readonly signIn = (email: string, password: string) => this.post('callback/credentials', { email, password })
  readonly giveCode = (code: string) => this.post('callback/second-step', { code })

  async query(path: string, input?: unknown): Promise<Called> {
    return called(await this.ask(`/api/trpc/${path}?input=${encodeURIComponent(superjson.stringify(input))}`))
  }

  async mutate(path: string, input?: unknown, headers: Record<string, string> = {}): Promise<Called> {
    const given = { 'content-type': 'application/json', origin: this.base, ...headers }
    return called(await this.ask(`/api/trpc/${path}`, { method: 'POST', body: superjson.stringify(input), headers: given }))
  }
}

async function called(response: Response): Promise<Called> {
  const body = (await response.json()) as { result?: { data: SuperJSONResult }; error?: SuperJSONResult }
  const { status } = response
  return body.error
    ? { status, error: superjson.deserialize(body.error) as Called['error'] }
    : { status, data: body.result && superjson.deserialize(body.result.data) }
}
