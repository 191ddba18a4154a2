import { ledgerCsv } from '#server/modules/billing/ledger-csv'
import { csvHeaders } from '#server/platform/csv'
import { signedIn } from '../../_signed-in'

/** Serves the account's whole ledger as a CSV file to a member. */
export async function GET(request: Request): Promise<Response> {
  const ctx = await signedIn(request)
  if (ctx instanceof Response) return ctx
  const pieces = ledgerCsv(ctx)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
  return new Response(body, { headers: csvHeaders('ledger.csv') })
}
