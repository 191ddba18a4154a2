import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { ROLE_NAMES } from '../../../permissions.ts'
import { email } from '../accounts/schema.ts'

const role = z.enum(ROLE_NAMES, 'Choose a role.')
const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9A-Za-z]{1,40}$`), 'This is not a valid ID.')

export const inviteInput = z.object({ email, role })
export type InviteInput = z.output<typeof inviteInput>

export const invitationIdInput = z.object({ invitationId: id('inv') })
export type InvitationIdInput = z.output<typeof invitationIdInput>

export const memberInput = z.object({ userId: id('usr') })
export type MemberInput = z.output<typeof memberInput>

/** `expected` is the role that the page showed when the member changed it. */
export const changeRoleInput = memberInput.extend({ role, expected: role })
export type ChangeRoleInput = Edit<z.output<typeof changeRoleInput>>

export const TOKEN_LENGTH = 32
export const invitationToken = z.string().regex(/^[0-9A-Za-z]{32}$/, 'This link is incomplete. Copy the whole link.')
export const acceptInput = z.object({ token: invitationToken })
export type AcceptInput = z.output<typeof acceptInput>

export const requireSecondFactorInput = z.object({ required: z.boolean() })
export type RequireSecondFactorInput = z.output<typeof requireSecondFactorInput>

export const switchAccountInput = z.object({ accountId: id('acc') })
export type SwitchAccountInput = z.output<typeof switchAccountInput>
