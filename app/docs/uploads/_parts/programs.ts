import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of a program of the guide; read when the page is built. Tests run the same files. */
export const readProgram = (
  file: 'create-upload.mjs' | 'import-video.mjs' | 'upload-from-browser.js' | 'upload-with-uppy.js' | 'upload-file.sh',
) => readFileSync(join(process.cwd(), 'docs/snippets', file), 'utf8').trimEnd()
