import type { Page } from '@playwright/test'

/** Controls that a finger uses; rows of lists and menus are among them. */
const CONTROLS =
  'button, a[href], input, select, textarea, summary, [role="tab"], [role="menuitem"], [role="option"], [role="switch"], [role="slider"]'

/**
 * Returns the visible controls that do not react in a square of 44 px, a line each: around their centre or, in a row of a table, anywhere
 * in it. Points outside of the window are not required, and neither are links within a sentence.
 */
export const smallTargets = (page: Page): Promise<string[]> => page.evaluate(measure, CONTROLS)

/** Runs in the page. The outermost points are a pixel inside of the square, where borders are. */
function measure(controls: string): string[] {
  const REACH = 21
  const within = (at: number, end: number) => Math.min(Math.max(at, 0), end - 1)
  const reacts = (element: Element, x: number, y: number) => {
    const hit = document.elementFromPoint(within(x, innerWidth), within(y, innerHeight))
    return element.contains(hit) || (hit?.closest('label')?.control ?? null) === element
  }
  const fits = (element: Element, x: number, y: number) =>
    [-REACH, REACH].every((by) => reacts(element, x + by, y) && reacts(element, x, y + by))
  const steps = (from: number, to: number) => Array.from({ length: Math.ceil((to - from) / 8) }, (_, step) => from + step * 8)
  const fitsSomewhere = (element: Element, { left, right, top, bottom }: DOMRect) =>
    steps(left, right).some((x) => steps(top, bottom).some((y) => reacts(element, x, y) && fits(element, x, y)))
  const isInSentence = (element: Element) =>
    element.localName === 'a' &&
    getComputedStyle(element).display.startsWith('inline') &&
    (element.parentElement?.textContent ?? '').trim() !== (element.textContent ?? '').trim()
  const wrong = new Set<string>()
  for (const element of document.querySelectorAll(controls)) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || isInSentence(element)) continue
    if (element.matches(':disabled') || element.closest('[aria-hidden="true"], [inert]')) continue
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    const label = element instanceof HTMLInputElement && /checkbox|radio/.test(element.type) ? element.labels?.[0] : undefined
    const { left, top, width, height } = (label ?? element).getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    // One that is large enough may be covered in part. What is covered, or hidden for all but screen readers, is no target.
    if ((width >= 44 && height >= 44) || width <= 1 || !reacts(element, x, y) || fits(element, x, y)) continue
    const row = element.closest('tr')?.getBoundingClientRect()
    if (row && fitsSomewhere(element, row)) continue
    const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)
    wrong.add(`less than 44 px: ${element.localName} “${name}”, ${Math.round(width)} × ${Math.round(height)}`)
  }
  window.scrollTo(0, 0)
  return [...wrong]
}
