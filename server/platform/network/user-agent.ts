import Bowser from 'bowser'

/** Names that the product writes differently than the library. */
const SHORTER: Record<string, string> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'Chrome OS': 'ChromeOS',
}
const KINDS: Record<string, 'computer' | 'phone' | 'program'> = { mobile: 'phone', tablet: 'phone', bot: 'program' }

/** The library names an unknown browser ''. */
const shown = (name = '') => SHORTER[name] ?? (name || undefined)

/** Describes a `User-Agent` in a few words: `Chrome on Windows`. For display only; no decision depends on it. */
export function deviceOf(userAgent: string): { device: string; kind: 'computer' | 'phone' | 'program' } {
  const program = /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? 'Unknown device'
  if (userAgent === '') return { device: program, kind: 'program' }
  const parsed = Bowser.parse(userAgent)
  const browser = shown(parsed.browser.name)
  const system = parsed.platform.model ?? shown(parsed.os.name)
  const kind = KINDS[parsed.platform.type ?? ''] ?? (browser || system ? 'computer' : 'program')
  return { device: system ? `${browser ?? 'A browser'} on ${system}` : (browser ?? program), kind }
}

/** What a `User-Agent` says about the viewer's device. Each value comes from a bounded set. */
export interface ClientKind {
  device: (typeof DEVICES)[keyof typeof DEVICES] | 'Other'
  browser: string
  os: string
}

const DEVICES = { desktop: 'Computer', mobile: 'Phone', tablet: 'Tablet', tv: 'TV', bot: 'Bot' } as const
/** For an unknown browser, the library returns a name from the header, which anyone can fill with any text. */
const BROWSERS = new Set([
  ...['Amazon Silk', 'Android Browser', 'Brave', 'Chrome', 'Chromium', 'DuckDuckGo', 'Edge', 'Electron', 'Firefox', 'Focus'],
  ...['Google Search', 'HeyTap Browser', 'Internet Explorer', 'LibreWolf', 'MZ Browser', 'NAVER Whale Browser', 'Opera', 'Pale Moon'],
  ...['Puffin', 'QQ Browser', 'Roku', 'Safari', 'Samsung Internet', 'Sogou Browser', 'Tizen', 'UC Browser', 'Vivaldi', 'Vivo Browser'],
  ...['WebOS Browser', 'WeChat', 'Yandex Browser'],
])
const SYSTEMS = new Set([
  ...['Android', 'ChromeOS', 'HarmonyOS', 'iOS', 'Linux', 'macOS', 'PlayStation 4', 'Roku', 'Tizen', 'WebOS', 'Windows'],
])

/** Returns the kinds of device, browser and operating system; `Other` if unknown. */
export function clientKind(userAgent: string): ClientKind {
  if (userAgent === '') return { device: 'Other', browser: 'Other', os: 'Other' }
  const { platform, browser, os } = Bowser.parse(userAgent)
  const one = (known: ReadonlySet<string>, name: string | undefined) => (name !== undefined && known.has(name) ? name : 'Other')
  return {
    device: DEVICES[platform.type as keyof typeof DEVICES] ?? 'Other',
    browser: one(BROWSERS, shown(browser.name)),
    os: one(SYSTEMS, shown(os.name)),
  }
}
