const FIELDS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
/** What follows a brace up to its first code is a comment. */
const BRACES = /\{[^{}\\]*(\\[^{}]*)?\}/g

/** Converts the dialogue of an ASS or SSA file to SRT, with its override codes (`withoutOverrides`). Lines of several layers appear once. */
export function assToSrt(text: string): string {
  let names = namesOf(FIELDS)
  let isEvents = false
  const seen = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    const [, kind, rest = ''] = /^(\[|Format:|Dialogue:)\s*(.*)$/.exec(line) ?? []
    if (kind === '[') isEvents = rest.startsWith('Events')
    else if (isEvents && kind === 'Format:') names = namesOf(rest)
    else if (isEvents && kind === 'Dialogue:') {
      const fields = rest.split(',')
      const fieldOf = (name: string) => fields[names.indexOf(name)]?.trim() ?? ''
      // The text is last, as it may contain commas.
      seen.add(`${fieldOf('start')} --> ${fieldOf('end')}\n${plainText(fields.slice(names.length - 1).join(','))}\n`)
    }
  }
  return [...seen].map((cue, at) => `${at + 1}\n${cue}`).join('\n')
}

const namesOf = (list: string) => list.split(',').map((name) => name.trim().toLowerCase())

/** ASS has no tags and no entities: what looks like them is text. */
const plainText = (text: string) =>
  text
    .replace(BRACES, (_, codes: string | undefined) => (codes ? `{${codes}}` : ''))
    .replaceAll('\\N', '\n')
    .replace(/\\[nh]/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
