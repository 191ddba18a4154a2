const FIELDS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
/** What follows a brace up to its first code is a comment. */
const BRACES = /\{[^{}\\]*(\\[^{}]*)?\}/g

/** Converts the dialogue of an ASS or SSA file to SRT, with its override codes (`withoutOverrides`). Lines of several layers appear once. */
export function assToSrt(text: string): string {
  let format = formatOf(FIELDS)
  let isEvents = false
  const seen = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    const [, kind, rest = ''] = /^(\[|Format:|Dialogue:)\s*(.*)$/.exec(line) ?? []
    if (kind === '[') isEvents = rest.startsWith('Events')
    else if (isEvents && kind === 'Format:') format = formatOf(rest)
    else if (isEvents && kind === 'Dialogue:') {
      const fields = rest.split(',')
      const fieldAt = (at: number) => fields[at]?.trim() ?? ''
      // The text is last, as it may contain commas.
      seen.add(`${fieldAt(format.start)} --> ${fieldAt(format.end)}\n${plainText(fields.slice(format.text).join(','))}\n`)
    }
  }
  return [...seen].map((cue, at) => `${at + 1}\n${cue}`).join('\n')
}

/** Returns the places of the fields of a dialogue. */
function formatOf(list: string): { start: number; end: number; text: number } {
  const names = list.split(',').map((name) => name.trim().toLowerCase())
  return { start: names.indexOf('start'), end: names.indexOf('end'), text: names.length - 1 }
}

/** ASS has no tags and no entities: what looks like them is text. */
const plainText = (text: string) =>
  text
    .replace(BRACES, (_, codes: string | undefined) => (codes ? `{${codes}}` : ''))
    .replaceAll('\\N', '\n')
    .replace(/\\[nh]/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
