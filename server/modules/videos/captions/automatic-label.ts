/** How captions from speech are marked in a player's menu, by the primary language of the captions. */
const MARKS: Record<string, string> = {
  ar: 'تلقائي',
  cs: 'automaticky',
  da: 'automatisk',
  de: 'automatisch erzeugt',
  el: 'αυτόματα',
  en: 'auto-generated',
  es: 'generados automáticamente',
  fi: 'automaattinen',
  fr: 'générés automatiquement',
  he: 'אוטומטי',
  hi: 'स्वचालित',
  hu: 'automatikus',
  id: 'otomatis',
  it: 'generati automaticamente',
  ja: '自動生成',
  ko: '자동 생성',
  nl: 'automatisch gegenereerd',
  no: 'automatisk',
  nb: 'automatisk',
  pl: 'automatyczne',
  pt: 'geradas automaticamente',
  ro: 'generate automat',
  ru: 'созданы автоматически',
  sv: 'automatiska',
  tr: 'otomatik',
  uk: 'створені автоматично',
  vi: 'tự động',
  zh: '自动生成',
}

/** Returns the label of captions from speech that nobody has edited, in their own language: `English (auto-generated)`. */
export const automaticLabel = (label: string, language: string): string => `${label} (${MARKS[language.split('-')[0] ?? ''] ?? MARKS.en})`
