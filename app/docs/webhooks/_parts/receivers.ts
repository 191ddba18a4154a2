import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A receiver that verifies signatures, in each language; tests run the same files. */
export const RECEIVERS = [
  { language: 'Node', file: 'verify-webhook.mjs' },
  { language: 'Python', file: 'verify_webhook.py' },
  { language: 'PHP', file: 'verify-webhook.php' },
  { language: 'Go', file: 'verify-webhook.go' },
] as const

/** Returns the text of a receiver; read when the page is built. */
export const readReceiver = (file: string) => readFileSync(join(process.cwd(), 'docs/snippets', file), 'utf8').trimEnd()
