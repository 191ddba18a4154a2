const TAGS =
  'af ar az be bg bn bs ca cs cy da de el en en-GB en-US es es-419 et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my nb ne nl pa pl pt pt-BR pt-PT ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi yue zh zh-Hans zh-Hant zu'

const names = new Intl.DisplayNames(['en'], { type: 'language' })

/** Common languages of captions, by their English names. */
export const LANGUAGES = TAGS.split(' ')
  .map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))
