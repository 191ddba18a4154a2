import { env } from '../platform/config/config.ts'

/**
 * Returns the caller's address as the reverse proxy wrote it: the last entry of `X-Forwarded-For`, since earlier ones are unverified.
 * Undefined without a trusted proxy (TRUST_PROXY), because any client could have written the header.
 */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  return env().TRUST_PROXY ? header?.split(',').at(-1)?.trim() || undefined : undefined
}
