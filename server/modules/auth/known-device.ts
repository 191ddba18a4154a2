import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKeys } from '../../platform/secrets.ts'
import { overHttps } from './session.ts'

/** People whom one browser is known for; the one seen last first. */
const MOST = 5
const LIFE_SEC = 365 * 86_400

export const deviceCookieName = () => (overHttps() ? '__Host-reelgate.device' : 'reelgate.device')

const keys = () => derivedKeys('known-device')
const sealed = (text: string, key: Buffer = keys()[0]) => createHmac('sha256', key).update(text).digest('base64url')
/** A person in a cookie: not to be read from it, and not to be compared with another installation's. */
const mark = (email: string, key?: Buffer) => sealed(`person ${email}`, key).slice(0, 22)

interface Device {
  id: string
  people: string[]
  /** Sealed with a root secret that is being replaced. */
  outdated: boolean
}

/** `id.person.person….seal`; whatever was not sealed here is no device of ours. */
function deviceIn(cookieHeader: string | undefined): Device | undefined {
  const name = deviceCookieName().replaceAll('.', '\\.')
  const value = new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{1,400})(?:;|$)`).exec(cookieHeader ?? '')?.[1]
  if (!value) return undefined
  const cut = value.lastIndexOf('.')
  const [text, seal] = [value.slice(0, cut), Buffer.from(value.slice(cut + 1))]
  const made = keys().findIndex((key) => {
    const right = Buffer.from(sealed(`device ${text}`, key))
    return seal.length === right.length && timingSafeEqual(seal, right)
  })
  if (made < 0) return undefined
  const [id = '', ...people] = text.split('.')
  return { id, people, outdated: made > 0 }
}

/**
 * Which device this is, if this person has signed in from it before, by its cookie; undefined for any other. It proves nothing but that: whoever
 * guesses elsewhere does not use up this device's tries (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export function knownDevice(cookieHeader: string | undefined, email: string): string | undefined {
  const device = deviceIn(cookieHeader)
  return device && keys().some((key) => device.people.includes(mark(email, key))) ? device.id : undefined
}

/** A `Set-Cookie` header for a device that is known for this person by a cookie from before the root secret changed; undefined for all others. */
export const renewedDevice = (cookieHeader: string | undefined, email: string): string | undefined =>
  deviceIn(cookieHeader)?.outdated && knownDevice(cookieHeader, email) ? deviceCookie(cookieHeader, email) : undefined

/** A `Set-Cookie` header by which the browser is known again as one from which this person has signed in. */
export function deviceCookie(cookieHeader: string | undefined, email: string): string {
  const before = deviceIn(cookieHeader)
  const person = mark(email)
  const same = keys().map((key) => mark(email, key))
  const people = [person, ...(before?.people ?? []).filter((one) => !same.includes(one))].slice(0, MOST)
  const text = [before?.id ?? randomBytes(16).toString('base64url'), ...people].join('.')
  const secure = overHttps() ? '; Secure' : ''
  return `${deviceCookieName()}=${text}.${sealed(`device ${text}`)}; Path=/; Max-Age=${LIFE_SEC}; HttpOnly; SameSite=Lax${secure}`
}
