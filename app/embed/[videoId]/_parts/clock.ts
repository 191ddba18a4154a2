/** Returns seconds as `m:ss`, or `h:mm:ss` from an hour. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Returns seconds as a phrase in a language, without units of zero. */
export function timePhrase(seconds: number, locale: string): string {
  if (!Number.isFinite(seconds)) return ''
  const whole = Math.floor(Math.abs(seconds))
  const units = [
    [Math.floor(whole / 3600), 'hour'],
    [Math.floor((whole % 3600) / 60), 'minute'],
    [whole % 60, 'second'],
  ] as const
  const shown = units.filter(([count, unit]) => count > 0 || (whole === 0 && unit === 'second'))
  const phrases = shown.map(([count, unit]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
  return new Intl.ListFormat(locale, { type: 'unit' }).format(phrases)
}
