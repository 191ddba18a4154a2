import { query } from '../infra/db.ts'
import { deviceCookie } from './known-device.ts'

/** A `Set-Cookie` header for the browser in which this person has just signed in, with a second factor where they have one. */
export async function knownFromNowOn(userId: string, cookieHeader: string | undefined): Promise<string> {
  const [row] = await query<{ email: string }>('email-of-user', 'SELECT email FROM app_user WHERE id = $1', [userId])
  return deviceCookie(cookieHeader, row?.email ?? '')
}
