import type { AccountCtx } from '../../../context.ts'
import { signFor } from '../../../platform/config/secrets.ts'

/**
 * Returns the secret with which `reelgate listen` signs what it forwards: one for each account, so that a receiver on a developer's machine
 * is configured once. The secrets of endpoints are others. It changes with the root secret.
 */
export const listenSecret = ({ accountId }: Pick<AccountCtx, 'accountId'>): string =>
  `whsec_${Buffer.from(signFor('listen-secret', accountId), 'base64url').toString('hex')}`
