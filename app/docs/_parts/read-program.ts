import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of a program in docs/snippets; read when the page is built. Tests run the same files. */
export const readProgram = (file: string) => readFileSync(join(process.cwd(), 'docs/snippets', file), 'utf8').trimEnd()
