import { ledgerCsv } from '#server/modules/billing/export-ledger'
import { csvHeaders } from '#server/platform/text/csv'
import { asFile } from '../../_as-file'
import { signedIn } from '../../_signed-in'

/** Serves the account's whole ledger as a CSV file to a member. */
export async function GET(request: Request): Promise<Response> {
  const ctx = await signedIn(request)
  if (ctx instanceof Response) return ctx
  return asFile(request, ctx, ledgerCsv(ctx), csvHeaders('ledger.csv'))
}
