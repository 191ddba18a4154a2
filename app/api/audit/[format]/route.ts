import { exportAudit } from '#server/modules/audit/export'
import { AUDIT_FORMATS, auditFilter } from '#server/modules/audit/schema'
import { csvHeaders } from '#server/platform/text/csv'
import { asFile } from '../../_as-file'
import { sentence, signedIn } from '../../_signed-in'

/**
 * Serves the audit log as a file to a member: `/api/audit/csv?action=key.revoke`. Every role may read the log and therefore download it.
 */
export async function GET(request: Request, { params }: { params: Promise<{ format: string }> }): Promise<Response> {
  const ctx = await signedIn(request)
  if (ctx instanceof Response) return ctx
  const asked = (await params).format
  const format = AUDIT_FORMATS.find((name) => name === asked)
  if (!format) return sentence('NOT_FOUND')
  const filter = auditFilter.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!filter.success) return sentence('INVALID_REQUEST')
  const headers = csvHeaders(`audit-log.${format}`)
  const pieces = exportAudit(ctx, { format, filter: filter.data })
  return asFile(request, ctx, pieces, format === 'csv' ? headers : { ...headers, 'Content-Type': 'application/json; charset=utf-8' })
}
