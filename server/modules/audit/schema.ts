import { z } from 'zod'
import { dayRangeFields, inOrder, NOT_IN_ORDER } from '../../platform/text/schema.ts'

/** Entries per page of the audit log. */
export const AUDIT_PAGE = 50

export const auditFilter = z
  .object({
    /** An actor's ID, as stored in the entries. */
    actor: z
      .string()
      .max(80)
      .regex(/^[\w:.-]+$/)
      .optional(),
    action: z
      .string()
      .max(60)
      .regex(/^[\w.-]+$/)
      .optional(),
    /** The ID of the changed object. */
    subject: z
      .string()
      .max(80)
      .regex(/^[\w:.-]+$/)
      .optional(),
    ...dayRangeFields,
  })
  .refine(inOrder, { path: ['to'], message: NOT_IN_ORDER })
export type AuditFilter = z.output<typeof auditFilter>

export const auditListInput = auditFilter.safeExtend({
  /** The last ID of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'This is not a valid cursor.')
    .optional(),
})
export type AuditListInput = z.output<typeof auditListInput>

export const AUDIT_FORMATS = ['csv', 'json'] as const
