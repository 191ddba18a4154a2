/** Returns the seconds in `90`, `90.5`, `90s`, `1m30s`, `1h2m3s`, `1:30` or `1:02:03`; undefined for anything else. */
export function readTime(text: string): number | undefined {
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Number(text)
  if (/^\d{1,6}(:[0-5]?\d){1,2}$/.test(text)) return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  const parts = /^(?=\d)(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/.exec(text)
  if (!parts) return undefined
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [number, number, number]
  return hours * 3600 + minutes * 60 + seconds
}
