import Bowser from 'bowser'

/** Names of the library that the product shows in another form. */
const SHORTER: Record<string, string> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'Chrome OS': 'ChromeOS',
}
const KINDS: Record<string, 'computer' | 'phone' | 'program'> = { mobile: 'phone', tablet: 'phone', bot: 'program' }

/** The library names an unknown browser ''. */
const shown = (name = '') => SHORTER[name] ?? (name || undefined)

/** Returns a `User-Agent` in a few words: `Chrome on Windows`. For display only; no decision depends on it. */
export function deviceOf(userAgent: string): { device: string; kind: 'computer' | 'phone' | 'program' } {
  const program = /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? 'Unknown device'
  if (userAgent === '') return { device: program, kind: 'program' }
  const parsed = Bowser.parse(userAgent)
  const browser = shown(parsed.browser.name)
  const system = parsed.platform.model ?? shown(parsed.os.name)
  const kind = KINDS[parsed.platform.type ?? ''] ?? (browser || system ? 'computer' : 'program')
  return { device: system ? `${browser ?? 'A browser'} on ${system}` : (browser ?? program), kind }
}
