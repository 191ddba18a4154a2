/** Returns a colour of six hexadecimal digits, from three or six with or without `#`; undefined for anything else. */
export function readColor(text: string | null): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? '')?.[1]?.toLowerCase()
  if (!digits) return undefined
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`
}

/** The minimum contrast with the player's black (WCAG 2.2, 1.4.11). */
const LEAST_CONTRAST = 3

/** Returns the accent for a requested colour, lightened until it is visible on black, and the colour that is legible on it. */
export function accentOf(color: string): { accent: string; onAccent: string } {
  const asked = channels(color)
  for (let white = 0; ; white += 0.05) {
    const mixed = asked.map((value) => Math.round(value + (255 - value) * white))
    const light = luminance(mixed)
    if ((light + 0.05) / 0.05 < LEAST_CONTRAST) continue
    const accent = `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    return { accent, onAccent: 1.05 / (light + 0.05) >= LEAST_CONTRAST ? '#ffffff' : '#000000' }
  }
}

const channels = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** Returns the relative luminance, WCAG 2.2. */
function luminance(rgb: number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
