import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { type ContentPurpose, derivedKey } from '../../platform/config/secrets.ts'
import { sign } from '../../platform/secrets/crypto.ts'

declare const PROOF: unique symbol

/**
 * Proof that the recipient of a signature may access what it opens: an account's pictures, media, files and receipts. Everything that signs
 * such content requires one, and only this file makes them.
 */
export interface ContentAccess {
  readonly [PROOF]: true
}
const PROVEN = {} as ContentAccess

/** For someone whom this service's permit, playback token or share link already grants access to the content. */
export const BEARER: ContentAccess = PROVEN
/** For what the service itself does: jobs, drills, the operator's commands, and statements about the installation. */
export const SERVICE: ContentAccess = PROVEN

/** Returns the proof for a use case's caller. Undefined for support staff, whose pages show no content. */
export const contentAccessOf = ({ actor, ownerView }: Pick<AccountCtx, 'actor' | 'ownerView'>): ContentAccess | undefined =>
  actor.kind === 'support' || ownerView ? undefined : PROVEN

/** Returns the same proof. Throws FORBIDDEN for support staff, with `details.reason` `owner-view`. */
export function requireContentAccess(ctx: Pick<AccountCtx, 'actor' | 'ownerView'>, message: string): ContentAccess {
  const access = contentAccessOf(ctx)
  if (!access) throw new ServiceError('FORBIDDEN', { message, details: { reason: 'owner-view' } })
  return access
}

/** Signs a text that grants access to content. `isSignedFor` (server/platform/config/secrets.ts) verifies it. */
export const signContent = (_access: ContentAccess, purpose: ContentPurpose, text: string): string => sign(derivedKey(purpose), text)
