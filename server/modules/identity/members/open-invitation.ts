import { ServiceError } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import { query, type Tx } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'

/** An invitation, as found by its link. */
export interface Invitation {
  id: string
  accountId: string
  account: string
  email: string
  role: Role
  invitedBy: string
  expiresAt: Date
  /** Whether its link was sent only by mail. */
  byMail: boolean
  state: 'open' | 'expired' | 'ended'
}

const SELECT = `
  SELECT i.id, i.account_id AS "accountId", a.name AS account, i.email, i.role, i.invited_by_email AS "invitedBy", i.expires_at AS "expiresAt",
    i.by_mail AS "byMail",
    CASE WHEN i.ended_at IS NOT NULL THEN 'ended' WHEN i.expires_at <= service_clock() THEN 'expired' ELSE 'open' END AS state
  FROM invitation i JOIN account a ON a.id = i.account_id WHERE i.token_hash = $1`

const hashOf = (token: string) => Buffer.from(sha256(token))

/** Returns the invitation of a token, for the holder of the link; undefined when there is none. */
export async function findInvitation(token: string): Promise<Invitation | undefined> {
  const [found] = await query<Invitation>('invitation-by-token', SELECT, [hashOf(token)])
  return found
}

/**
 * Locks and returns the open invitation of a token until the transaction ends, so that a link is valid once. Errors: NOT_FOUND with the
 * reason.
 */
export async function lockInvitation(tx: Tx, token: string): Promise<Invitation> {
  const [found] = await tx.$queryRawUnsafe<Invitation[]>(`${SELECT} FOR UPDATE OF i`, hashOf(token))
  if (found?.state === 'open') return found
  throw new ServiceError('NOT_FOUND', { message: refusalOf(found) })
}

/** Returns why a link is not valid, and what to do. */
export function refusalOf(found: Invitation | undefined): string {
  if (!found) return 'No invitation exists for this link. Check that you copied the complete link, or ask for a new one.'
  return found.state === 'expired'
    ? 'This invitation has expired. Ask for a new one.'
    : 'This invitation was already used or withdrawn. If you have joined, sign in; otherwise ask for a new invitation.'
}
