import superjson from 'superjson'

/** A client of the dashboard: signs up, keeps its cookies, calls procedures, uploads with tus. Everything over HTTP. */
export class Dashboard {
  private readonly cookies: Map<string, string>
  private readonly baseUrl: string

  private constructor(baseUrl: string, cookies: [string, string][] = []) {
    this.baseUrl = baseUrl
    this.cookies = new Map(cookies)
  }

  /** Returns the client of a session that another process saved with `toJSON`. */
  static restore({ baseUrl, cookies }: ReturnType<Dashboard['toJSON']>): Dashboard {
    return new Dashboard(baseUrl, cookies)
  }

  toJSON() {
    return { baseUrl: this.baseUrl, cookies: [...this.cookies] }
  }

  static async signUp(baseUrl: string, email: string, password: string): Promise<Dashboard> {
    const dashboard = new Dashboard(baseUrl)
    await dashboard.mutate('account.signUp', { email, password })
    await dashboard.signIn(email, password)
    return dashboard
  }

  /** Signs in as an existing user. Throws with the server's response if it refuses. */
  static async signIn(baseUrl: string, email: string, password: string): Promise<Dashboard> {
    const dashboard = new Dashboard(baseUrl)
    await dashboard.signIn(email, password)
    return dashboard
  }

  /** Calls a mutation of the dashboard. Throws with its message. */
  async mutate<Result>(procedure: string, input: unknown): Promise<Result> {
    const body = JSON.stringify(superjson.serialize(input))
    const headers = { 'content-type': 'application/json' }
    return answerOf(procedure, await this.fetch(`/api/trpc/${procedure}`, { method: 'POST', body, headers }))
  }

  /** Calls a query of the dashboard. Throws with its message. */
  async query<Result>(procedure: string, input?: unknown): Promise<Result> {
    const asked = input === undefined ? '' : `?${new URLSearchParams({ input: JSON.stringify(superjson.serialize(input)) })}`
    return answerOf(procedure, await this.fetch(`/api/trpc/${procedure}${asked}`))
  }

  /** Returns the cookies with which a browser is signed in as this user. */
  cookieJar(): { name: string; value: string; url: string }[] {
    return [...this.cookies].map(([name, value]) => ({ name, value, url: this.baseUrl }))
  }

  /** Uploads a file and returns the id of the resulting video. */
  async upload(file: Uint8Array<ArrayBuffer>, metadata: Record<string, string>): Promise<string> {
    const encoded = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    const created = await this.fetch('/api/upload', {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(file.byteLength), 'upload-metadata': encoded.join(',') },
    })
    const location = created.headers.get('location')
    if (!location) throw new Error(`The upload was rejected: ${await created.text()}`)
    const sent = await this.fetch(new URL(location, this.baseUrl).pathname, {
      method: 'PATCH',
      body: file,
      headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    })
    const videoId = sent.headers.get('x-video-id')
    if (!videoId) throw new Error(`The upload was rejected: ${await sent.text()}`)
    return videoId
  }

  private async signIn(email: string, password: string): Promise<void> {
    const { csrfToken } = (await (await this.fetch('/api/auth/csrf')).json()) as { csrfToken: string }
    const answer = await this.fetch('/api/auth/callback/credentials', {
      method: 'POST',
      body: new URLSearchParams({ email, password, csrfToken, json: 'true' }),
    })
    if ([...this.cookies.keys()].some((name) => name.endsWith('session-token'))) return
    throw new Error(
      `Sign-in returned ${answer.status} without a session: ${await answer.text()}. Check that the pages are built from these sources.`,
    )
  }

  private async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.baseUrl + path, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return response
  }
}

async function answerOf<Result>(procedure: string, response: Response): Promise<Result> {
  const answer = (await response.json()) as { result?: { data: never }; error?: { json?: { message: string }; message?: string } }
  if (!answer.result) throw new Error(answer.error?.json?.message ?? answer.error?.message ?? `${procedure} returned ${response.status}`)
  return superjson.deserialize(answer.result.data)
}
