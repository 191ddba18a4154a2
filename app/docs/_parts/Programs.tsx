import { Languages } from './Languages'
import { readProgram } from './read-program'
import { Snippet } from './Snippet'

/** Shows a program of docs/snippets in several languages, from its file in each. */
export function Programs({ files }: { files: Record<string, string> }) {
  const programs = Object.entries(files).map(([language, file]) => ({
    language,
    program: <Snippet label={file} code={readProgram(file)} />,
  }))
  return <Languages programs={programs} />
}
