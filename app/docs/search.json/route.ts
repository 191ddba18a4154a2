import { entriesOf } from './_parts/entries'
import { contentOfPages } from './_parts/page-modules'

/** Not written by the build: pages show settings of the installation, which the build does not know. */
export const dynamic = 'force-dynamic'

let written: Promise<string> | undefined

/** Serves the text of every page of the docs, for the search in the browser. The process writes it once. */
export async function GET(): Promise<Response> {
  written ??= write().catch((error) => {
    written = undefined
    throw error
  })
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
  return new Response(await written, { headers })
}

async function write(): Promise<string> {
  const entries = []
  // One after another: each rendering adds listeners to the response.
  for (const page of await contentOfPages()) entries.push(await entriesOf(page))
  return JSON.stringify(entries.flat())
}
