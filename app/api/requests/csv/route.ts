import { exportRequests } from '#server/modules/analytics/requests/export-requests'
import { requestFilter } from '#server/modules/analytics/schema'
import { csvHeaders } from '#server/platform/text/csv'
import { asFile } from '../../_as-file'
import { sentence, signedIn } from '../../_signed-in'

/** Serves the requests of the log that match the filter of an address as a CSV file to a member: `/api/requests/csv?outcome=failed`. */
export async function GET(request: Request): Promise<Response> {
  const ctx = await signedIn(request)
  if (ctx instanceof Response) return ctx
  const filter = requestFilter.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!filter.success) return sentence('INVALID_REQUEST')
  return asFile(request, ctx, exportRequests(ctx, filter.data), csvHeaders('requests.csv'))
}
