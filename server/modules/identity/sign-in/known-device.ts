import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKeys } from '../../../platform/config/secrets.ts'
import { cookieIn, cookieName, overHttps } from '../sessions/cookies.ts'

/** Users that one browser is known for, most recent first. */
const MAX_USERS = 5
const LIFE_SEC = 365 * 86_400

export const deviceCookieName = () => cookieName('reelgate', 'device')

const keys = () => derivedKeys('known-device')
const sealed = (text: string, key: Buffer = keys()[0]) => createHmac('sha256', key).update(text).digest('base64url')
/** Identifies a user in a cookie without revealing the email. Differs between installations. */
const mark = (email: string, key?: Buffer) => sealed(`person ${email}`, key).slice(0, 22)

interface Device {
  id: string
  users: string[]
  /** Sealed with a root secret that is being replaced. */
  outdated: boolean
}

/** Parses `id.user.user….seal`. Undefined if the seal is not valid. */
function deviceIn(cookieHeader: string | undefined): Device | undefined {
  const value = cookieIn(cookieHeader, deviceCookieName())
  if (!value || !/^[\w.-]{1,400}$/.test(value)) return undefined
  const cut = value.lastIndexOf('.')
  const [text, seal] = [value.slice(0, cut), Buffer.from(value.slice(cut + 1))]
  const keyIndex = keys().findIndex((key) => {
    const right = Buffer.from(sealed(`device ${text}`, key))
    return seal.length === right.length && timingSafeEqual(seal, right)
  })
  if (keyIndex < 0) return undefined
  const [id = '', ...users] = text.split('.')
  return { id, users, outdated: keyIndex > 0 }
}

/**
 * Returns this device's ID, by its cookie, if this user has signed in from it before. Not proof of identity: it keeps attempts from other
 * devices from using up this device's limit (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export function knownDevice(cookieHeader: string | undefined, email: string): string | undefined {
  const device = deviceIn(cookieHeader)
  return device && keys().some((key) => device.users.includes(mark(email, key))) ? device.id : undefined
}

/** Returns a `Set-Cookie` header for a device known for this user by a cookie under the previous root secret, otherwise undefined. */
export const renewedDevice = (cookieHeader: string | undefined, email: string): string | undefined =>
  deviceIn(cookieHeader)?.outdated && knownDevice(cookieHeader, email) ? deviceCookie(cookieHeader, email) : undefined

/** Returns a `Set-Cookie` header that marks the browser as one from which this user has signed in. */
export function deviceCookie(cookieHeader: string | undefined, email: string): string {
  const before = deviceIn(cookieHeader)
  const user = mark(email)
  const same = keys().map((key) => mark(email, key))
  const users = [user, ...(before?.users ?? []).filter((one) => !same.includes(one))].slice(0, MAX_USERS)
  const text = [before?.id ?? randomBytes(16).toString('base64url'), ...users].join('.')
  const secure = overHttps() ? '; Secure' : ''
  return `${deviceCookieName()}=${text}.${sealed(`device ${text}`)}; Path=/; Max-Age=${LIFE_SEC}; HttpOnly; SameSite=Lax${secure}`
}
