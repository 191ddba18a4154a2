import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../infra/secrets.ts'
import { overHttps } from './session.ts'

/** People whom one browser is known for; the one seen last first. */
const MOST = 5
const LIFE_SEC = 365 * 86_400

export const deviceCookieName = () => (overHttps() ? '__Host-reelgate.device' : 'reelgate.device')

const sealed = (text: string) => createHmac('sha256', derivedKey('known-device')).update(text).digest('base64url')
/** A person in a cookie: not to be read from it, and not to be compared with another installation's. */
const mark = (email: string) => sealed(`person ${email}`).slice(0, 22)

interface Device {
  id: string
  people: string[]
}

/** `id.person.person….seal`; whatever was not sealed here is no device of ours. */
function deviceIn(cookieHeader: string | undefined): Device | undefined {
  const name = deviceCookieName().replaceAll('.', '\\.')
  const value = new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{1,400})(?:;|$)`).exec(cookieHeader ?? '')?.[1]
  if (!value) return undefined
  const cut = value.lastIndexOf('.')
  const [text, seal] = [value.slice(0, cut), Buffer.from(value.slice(cut + 1))]
  const right = Buffer.from(sealed(`device ${text}`))
  if (seal.length !== right.length || !timingSafeEqual(seal, right)) return undefined
  const [id = '', ...people] = text.split('.')
  return { id, people }
}

/**
 * Which device this is, if this person has signed in from it before, by its cookie; undefined for any other. It proves nothing but that: whoever
 * guesses elsewhere does not use up this device's tries (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export function knownDevice(cookieHeader: string | undefined, email: string): string | undefined {
  const device = deviceIn(cookieHeader)
  return device?.people.includes(mark(email)) ? device.id : undefined
}

/** A `Set-Cookie` header by which the browser is known again as one from which this person has signed in. */
export function deviceCookie(cookieHeader: string | undefined, email: string): string {
  const before = deviceIn(cookieHeader)
  const person = mark(email)
  const people = [person, ...(before?.people ?? []).filter((one) => one !== person)].slice(0, MOST)
  const text = [before?.id ?? randomBytes(16).toString('base64url'), ...people].join('.')
  const secure = overHttps() ? '; Secure' : ''
  return `${deviceCookieName()}=${text}.${sealed(`device ${text}`)}; Path=/; Max-Age=${LIFE_SEC}; HttpOnly; SameSite=Lax${secure}`
}
