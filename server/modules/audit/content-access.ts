import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { type ContentPurpose, derivedKey } from '../../platform/config/secrets.ts'
import { sign } from '../../platform/secrets/crypto.ts'

declare const PROOF: unique symbol

/**
 * Proof that whoever receives a signature may have what it opens: pictures, media, files and receipts of an account. Everything that signs
 * such content takes one, and this file alone makes them.
 */
export interface ContentAccess {
  readonly [PROOF]: true
}
const PROVEN = {} as ContentAccess

/** For whom a permit, a playback token or a share link of this service opens the content already. */
export const BEARER: ContentAccess = PROVEN
/** For what the service does itself: jobs, drills, the operator's commands, and statements about the installation. */
export const SERVICE: ContentAccess = PROVEN

/** Returns the proof for the caller of a use case; undefined for support staff, whose pages show no content. */
export const contentAccessOf = ({ actor, ownerView }: Pick<AccountCtx, 'actor' | 'ownerView'>): ContentAccess | undefined =>
  actor.kind === 'support' || ownerView ? undefined : PROVEN

/** Returns the same proof. Throws FORBIDDEN for support staff, with `details.reason` `owner-view`. */
export function requireContentAccess(ctx: Pick<AccountCtx, 'actor' | 'ownerView'>, message: string): ContentAccess {
  const access = contentAccessOf(ctx)
  if (!access) throw new ServiceError('FORBIDDEN', { message, details: { reason: 'owner-view' } })
  return access
}

/** Signs a text that opens content; `isSignedFor` (server/platform/config/secrets.ts) verifies it. */
export const signContent = (_access: ContentAccess, purpose: ContentPurpose, text: string): string => sign(derivedKey(purpose), text)
