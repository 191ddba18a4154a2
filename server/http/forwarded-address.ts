import { env } from '../platform/config.ts'

/**
 * The caller's address as the reverse proxy in front wrote it: the last entry of `X-Forwarded-For`, since those before it are only claimed.
 * Undefined where no proxy is trusted (TRUST_PROXY): anybody could have written the header.
 */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  return env().TRUST_PROXY ? header?.split(',').at(-1)?.trim() || undefined : undefined
}
