import { env } from '../platform/config/config.ts'

/**
 * Returns the caller's address as written by the reverse proxy: the last entry of `X-Forwarded-For`, since earlier ones are unverified.
 * Undefined where no proxy is trusted (TRUST_PROXY): any client could have written the header.
 */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  return env().TRUST_PROXY ? header?.split(',').at(-1)?.trim() || undefined : undefined
}
