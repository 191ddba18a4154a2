import { clock } from './clock.ts'
import type { Line, Match } from './transcript-lines.ts'

/** Lines of a block, and the height of most of them in pixels. */
const BLOCK = 100
const LINE_PX = 33

/** Makes an element with these properties. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  Object.assign(element, properties)
  return element
}

/** Returns the position of a button's line; -1 for any other element. */
export const placeOf = (element: Element | null): number => (element?.matches('.line') ? Number((element as HTMLButtonElement).value) : -1)

/** The lines of a transcript as buttons. A block of lines is drawn when it comes near the view, or when one of its lines is needed. */
export class TranscriptList {
  readonly element = make('div', { className: 'lines', dir: 'auto', role: 'list' })

  private lines: readonly Line[] = []
  private blocks: HTMLElement[] = []
  private matches = new Map<number, Match[]>()
  private readonly near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.draw(this.blocks.indexOf(target as HTMLElement))
    },
    { root: this.element, rootMargin: '100%' },
  )

  /** Shows lines in place of others, without marks. */
  show(lines: readonly Line[]): void {
    this.lines = lines
    this.matches = new Map()
    this.near.disconnect()
    this.blocks = Array.from({ length: Math.ceil(lines.length / BLOCK) }, () => make('div', { role: 'presentation' }))
    this.blocks.forEach((block, at) => {
      block.style.minHeight = `${LINE_PX * Math.min(BLOCK, lines.length - at * BLOCK)}px`
      this.near.observe(block)
    })
    this.element.replaceChildren(...this.blocks)
  }

  /** Returns the button of a line. */
  button(at: number): HTMLButtonElement | undefined {
    if (!this.lines[at]) return undefined
    this.draw(Math.floor(at / BLOCK))
    return this.blocks[Math.floor(at / BLOCK)]?.children[at % BLOCK]?.firstElementChild as HTMLButtonElement
  }

  /** Marks places in the lines, in place of those marked before. */
  mark(matches: readonly Match[]): void {
    const before = this.matches
    this.matches = new Map()
    for (const one of matches) {
      const others = this.matches.get(one.line)
      if (others) others.push(one)
      else this.matches.set(one.line, [one])
    }
    for (const text of this.element.querySelectorAll('.text')) {
      const at = placeOf(text.parentElement)
      if (before.has(at) || this.matches.has(at)) text.replaceChildren(...this.marked(at))
    }
  }

  /** Returns the element that marks a place. */
  markOf(match: Match): HTMLElement | undefined {
    return this.button(match.line)?.querySelectorAll('mark')[this.matches.get(match.line)?.indexOf(match) ?? 0]
  }

  private draw(at: number): void {
    const block = this.blocks[at]
    if (!block || block.childElementCount > 0) return
    this.near.unobserve(block)
    block.style.minHeight = ''
    const from = at * BLOCK
    block.append(...this.lines.slice(from, from + BLOCK).map((line, index) => this.item(line, from + index)))
  }

  private item({ startSec }: Line, at: number): HTMLElement {
    const item = make('div', { role: 'listitem', ariaSetSize: String(this.lines.length), ariaPosInSet: String(at + 1) })
    const button = make('button', { type: 'button', className: 'line', tabIndex: -1, value: String(at) })
    const text = make('span', { className: 'text' })
    text.append(...this.marked(at))
    button.append(make('span', { className: 'time', textContent: clock(startSec) }), text)
    item.append(button)
    return item
  }

  /** Returns the text of a line, with marks. */
  private marked(line: number): (string | HTMLElement)[] {
    const text = this.lines[line]?.text ?? ''
    let written = 0
    const parts = (this.matches.get(line) ?? []).flatMap(({ from, to }) => {
      const before = text.slice(written, from)
      written = to
      return [before, make('mark', { textContent: text.slice(from, to) })]
    })
    return [...parts, text.slice(written)]
  }
}
