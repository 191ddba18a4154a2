import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The program of the guide in each language; tests run the same files. */
export const PROGRAMS = [
  { language: 'TypeScript', file: 'find-videos.ts' },
  { language: 'Python', file: 'find_videos.py' },
  { language: 'PHP', file: 'find-videos.php' },
  { language: 'Shell', file: 'find-videos.sh' },
] as const

/** Returns the text of a program; read when the page is built. */
export const readProgram = (file: (typeof PROGRAMS)[number]['file']) =>
  readFileSync(join(process.cwd(), 'docs/snippets', file), 'utf8').trimEnd()
