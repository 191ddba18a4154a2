import { Readable } from 'node:stream'
import type { DirectRow } from '../direct/direct-rows.ts'
import { announceSize, emptyUpload } from '../direct/open-direct.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../resumable/place.ts'
import { ImportFailure } from './import-failure.ts'
import { setValidator } from './import-rows.ts'
import { ImportBody, type ImportReader, type SourceBytes } from './import-source.ts'

interface Transfer {
  row: DirectRow
  lease: string
  /** From the URL. The server's Content-Disposition takes precedence. */
  filename: string
  validator: string | null
  reader: ImportReader
  signal: AbortSignal
}

/**
 * Receives an import's missing bytes into the place of uploads. Runs under the upload's lock. Rejects with ImportFailure, the errors of
 * `announceSize` and of the place, and an abort's reason. What was received stays.
 */
export async function transfer(run: Transfer): Promise<void> {
  const { row, reader, signal } = run
  for (let { validator } = run; ; ) {
    signal.throwIfAborted()
    const ticket = await uploadPlace().ticket(row.id)
    if (!ticket) throw uploadGone()
    const received = (await uploadPlace().received(row.id)) ?? 0
    if (received > 0 && received === ticket.size) return
    const source = await reader.open(received, validator)
    try {
      if (source.size !== undefined && source.size > row.maxBytes) throw new ImportFailure('TOO_LARGE')
      if (source.start === 0) await begin(run, ticket, received, source)
      else if (source.validator !== validator || source.size !== ticket.size) await discardReceived(run)
      validator = source.validator
      await store(run, source)
    } finally {
      source.body.destroy()
    }
  }
}

/** Prepares for the first byte, even if there are bytes already, because the server has no ranges, or another file now. */
async function begin(
  { row, lease, filename }: Transfer,
  ticket: UploadInfo,
  received: number,
  { size, validator, filename: given }: SourceBytes,
): Promise<void> {
  await announceSize(row, ticket, size ?? row.maxBytes)
  if (received > 0 || ticket.size !== size || given) await uploadPlace().datastore.create(emptyUpload(row, size, given || filename))
  await setValidator(lease, validator)
}

/** Forgets the bytes of a file that has since become another one. */
async function discardReceived({ row, lease, filename }: Transfer): Promise<never> {
  await uploadPlace().datastore.create(emptyUpload(row, undefined, filename))
  await setValidator(lease, null)
  throw new ImportFailure('SOURCE_CHANGED')
}

async function store({ row, signal }: Transfer, source: SourceBytes): Promise<void> {
  const { datastore } = uploadPlace()
  const body = new ImportBody(source, row.maxBytes)
  const end = await datastore.write(Readable.from(body.bytes()), row.id, source.start)
  signal.throwIfAborted()
  if (body.failure !== undefined) throw body.failure
  if (source.end !== undefined && end < source.end) throw new ImportFailure('TRUNCATED')
  if (source.size !== undefined) return
  if (end === 0) throw new ImportFailure('EMPTY_FILE')
  await datastore.declareUploadLength(row.id, end)
}
