import { ServiceError } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import { signUpRefusal } from '../sign-in/sign-up-policy.ts'
import type { AcceptInput } from './member-schema.ts'
import { findInvitation, refusalOf } from './open-invitation.ts'

/** An open invitation, as displayed to the holder of its link. */
export interface OpenInvitation {
  account: string
  /** E-mail address of the invited user. */
  email: string
  role: Role
  invitedBy: string
  expiresAt: Date
  /** Why a new user cannot choose a password and join; null when they can. */
  closedToNew: string | null
}

/** Returns the open invitation of a link. Errors: NOT_FOUND with the reason when it is not open. */
export async function getInvitation({ token }: AcceptInput): Promise<OpenInvitation> {
  const found = await findInvitation(token)
  if (found?.state !== 'open') throw new ServiceError('NOT_FOUND', { message: refusalOf(found) })
  const { account, email, role, invitedBy, expiresAt } = found
  return { account, email, role, invitedBy, expiresAt, closedToNew: signUpRefusal('invitation') ?? null }
}
