import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { env } from '../config/config.ts'
import { openUnnamedFile } from '../files/unnamed-file.ts'

/** Lines of text in an unnamed file, written once and then read. */
export interface SpooledLines {
  lines(): AsyncIterable<string>
  close(): Promise<void>
}

const FLUSH_CHARACTERS = 1_000_000

/** Writes lines, none of which contains a line break, to a file in DATA_DIR that disappears with this process. */
export async function spoolLines(lines: AsyncIterable<string>): Promise<SpooledLines> {
  const file = await openUnnamedFile(join(env().DATA_DIR, 'backup'))
  try {
    let held = ''
    for await (const line of lines) {
      held += `${line}\n`
      if (held.length < FLUSH_CHARACTERS) continue
      await file.writeFile(held)
      held = ''
    }
    await file.writeFile(held)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    lines: () => createInterface({ input: file.createReadStream({ start: 0, autoClose: false }) }),
    close: () => file.close(),
  }
}
