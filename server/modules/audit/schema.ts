import { z } from 'zod'

/** Entries per page of the audit log. */
export const AUDIT_PAGE = 50

/** A UTC day, `2026-03-01`. */
const day = z.iso.date('Use the format YYYY-MM-DD, such as 2026-03-01.')

export const auditFilter = z
  .object({
    /** An actor's id, as stored in the entries. */
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
    /** First and last UTC day, both included. */
    from: day.optional(),
    to: day.optional(),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], message: 'The last day must not be before the first.' })
export type AuditFilter = z.output<typeof auditFilter>

export const auditListInput = auditFilter.safeExtend({
  /** The last id of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'This is not a valid cursor.')
    .optional(),
})
export type AuditListInput = z.output<typeof auditListInput>

export const AUDIT_FORMATS = ['csv', 'json'] as const
