/** The first match wins: many browsers name others as well. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/^(?=.*\bVersion\/\d)(?=.*\bSafari\/)/, 'Safari'],
]
const SYSTEMS: [RegExp, string, 'computer' | 'phone'][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bWindows NT\b/, 'Windows', 'computer'],
  [/\bMac OS X\b/, 'macOS', 'computer'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bLinux\b/, 'Linux', 'computer'],
]

/** Returns a `User-Agent` in a few words: `Chrome on Windows`. For display only; no decision depends on it. */
export function deviceOf(userAgent: string): { device: string; kind: 'computer' | 'phone' | 'program' } {
  const browser = BROWSERS.find(([sign]) => sign.test(userAgent))?.[1]
  const [, system, kind] = SYSTEMS.find(([sign]) => sign.test(userAgent)) ?? []
  if (browser && system && kind) return { device: `${browser} on ${system}`, kind }
  if (system && kind) return { device: `Unknown browser on ${system}`, kind }
  const program = /^[\w.-]{1,40}/.exec(userAgent)?.[0]
  return { device: browser ?? program ?? 'Unknown device', kind: browser ? 'computer' : 'program' }
}
