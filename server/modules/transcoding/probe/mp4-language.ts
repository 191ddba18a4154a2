import { iso6392 } from 'iso-639-2'

const CODES = new Map(iso6392.map(({ iso6391, iso6392T, iso6392B }) => [iso6391, iso6392T ?? iso6392B]))

/** Returns the ISO 639-2/T code of a BCP 47 tag, which MP4 uses in place of tags (`de-AT` → `deu`). `und` if there is none. */
export function mp4Language(tag: string | null): string {
  const [language = ''] = (tag ?? '').toLowerCase().split('-')
  return CODES.get(language) ?? (/^[a-z]{3}$/.test(language) ? language : 'und')
}
