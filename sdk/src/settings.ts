/** Returns an environment variable, or undefined if there is none, as in browsers. */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** Returns the URL without a trailing slash. Throws TypeError if it is missing or not a URL. */
export function requireBaseUrl(value: string | undefined): string {
  if (!value) throw new TypeError('Specify baseUrl, the URL of your Reelgate service, or set REELGATE_URL.')
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw new TypeError(`baseUrl "${value}" is not a URL such as https://video.example.com.`)
  return value.replace(/\/+$/, '')
}

/** Returns a number of at least `minimum`. Throws TypeError for anything else. */
export function requireNumber(name: string, value: unknown, minimum: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= minimum) return value
  throw new TypeError(`${name} must be a number of at least ${minimum}, not ${String(value)}.`)
}

/** Throws TypeError if an ID of a path is missing, because the request would go to another URL. */
export function requireIds(path: Record<string, unknown> | undefined): void {
  for (const [name, value] of Object.entries(path ?? {}))
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string, not ${JSON.stringify(value)}.`)
}
