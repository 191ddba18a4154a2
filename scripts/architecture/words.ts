interface Word {
  word: string
  /** What to write instead. */
  instead: string
  /** A line that is reported. */
  example: string
}

/** Words that hide the subject of a sentence or have a private meaning. Adding one here requires a replacement in the whole repository. */
export const WORDS: readonly Word[] = [
  { word: 'nobody', instead: 'name the role: no member, no client', example: 'Nobody reads it.' },
  { word: 'somebody', instead: 'name the role: a user, another process', example: 'Somebody changed it.' },
  { word: 'anybody', instead: 'name the role: any visitor', example: 'Anybody may read it.' },
  { word: 'everybody', instead: 'name the role: every member', example: 'Everybody may sign up.' },
  { word: 'anew', instead: 'again', example: 'It is sent anew.' },
  { word: 'beside', instead: 'next to, with, during', example: 'The file beside it.' },
  { word: 'by itself', instead: 'automatically', example: 'It ends by itself.' },
  { word: 'by themselves', instead: 'automatically', example: 'They end by themselves.' },
  { word: 'stands', instead: 'is, exists, is stored', example: 'What stands in the row.' },
  { word: 'told', instead: 'notified, sent, reported', example: 'The owner is told.' },
  { word: 'film', instead: 'video', example: 'A film of an hour.' },
  { word: 'films', instead: 'videos', example: 'Two films.' },
]

/** Texts in which a word has its fixed or technical meaning: files that quote it, and phrases by file. */
const ALLOWED: readonly { file: RegExp; text?: string }[] = [
  // The name of a set of primaries in ffmpeg.
  { file: /transcoding\/probe\/source-colors\.ts$/, text: "'film'" },
  { file: /^scripts\/architecture\/words(\.process\.test)?\.ts$/ },
  { file: /^CODE_OF_CONDUCT\.md$/ },
  // The name of the unprivileged user.
  { file: /^server\/testing\/services\/(pgbouncer|swift)\.ts$/, text: 'nobody' },
  { file: /^scripts\/conformance\//, text: 'noBody' },
]

/** Returns `file:line: word (instead: …)` for each word of WORDS in a text. */
export function findWords(file: string, text: string): string[] {
  const allowed = ALLOWED.filter((one) => one.file.test(file))
  if (allowed.some((one) => one.text === undefined)) return []
  return text.split('\n').flatMap((line, at) => {
    const read = allowed.reduce((rest, one) => rest.replaceAll(one.text ?? '', ''), line)
    return PATTERNS.flatMap(([pattern, { word, instead }]) =>
      pattern.test(read) ? [`${file}:${at + 1}: ${word} (instead: ${instead})`] : [],
    )
  })
}

const PATTERNS = WORDS.map((entry) => [new RegExp(`(?<![\\w-])${entry.word.replace(' ', '\\s+')}(?![\\w-])`, 'i'), entry] as const)
