import { sessionFromCookies } from '#server/account/session'
import { ledgerCsv } from '#server/billing/ledger-csv'
import { ERRORS } from '#server/errors'
import { csvHeaders } from '#server/infra/csv'

/** The account's whole ledger as a CSV file, for a member. */
export async function GET(request: Request): Promise<Response> {
  const ctx = await sessionFromCookies(request.headers.get('cookie') ?? undefined)
  if (!ctx) {
    const { message, status } = ERRORS.UNAUTHENTICATED
    return new Response(message, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
  }
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
