/** What is laid over the page and takes the focus: dialogs, drawers, popovers, menus. */
const LAYER = '[role="dialog"], [role="menu"]'
const MODAL = '[role="dialog"][aria-modal="true"]'
const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]'

/**
 * Keeps the focus where a keyboard user expects it: a dialog that opens takes it, and what opened a dialog or a menu gets it back. Mantine
 * does so only for dialogs that were rendered before they opened, and not when the opener has gone, such as the item of a menu. Returns a
 * function that stops it.
 */
export function keepFocus(page: Document): () => void {
  const layers = new WeakMap<Element, Element>()
  /** Layers that have had the focus. */
  const entered = new WeakSet<Element>()
  /** What had the focus before a layer first took it; it may be in a layer that was entered before. */
  const openers = new WeakMap<Element, HTMLElement>()
  let last: HTMLElement | undefined
  let timer: number | undefined

  // Safari does not focus a button that is clicked.
  const note = ({ target }: Event) => {
    const element = target instanceof Element ? target.closest<HTMLElement>(FOCUSABLE) : null
    if (!element) return
    const layer = element.closest(LAYER)
    if (layer) {
      layers.set(element, layer)
      if (!entered.has(layer) && last) openers.set(layer, last)
      entered.add(layer)
    }
    last = element
  }

  const settle = () => {
    const isLost = page.activeElement === null || page.activeElement === page.body
    const dialog = [...page.querySelectorAll(MODAL)].at(-1)
    // The focus trap tries the first `data-autofocus` alone, even when it is hidden.
    if (dialog && !entered.has(dialog) && !dialog.contains(page.activeElement)) focusWithin(dialog)
    else if (isLost && last && !last.isConnected) goBack(last)
  }

  const goBack = (gone: HTMLElement) => {
    for (let layer = layers.get(gone); layer; ) {
      if (layer.isConnected) return focusWithin(layer)
      const opener = openers.get(layer)
      if (!opener || takesFocus(opener)) return
      layer = layers.get(opener)
    }
    // The row that opened it has gone too.
    page.getElementById('content')?.focus({ preventScroll: true })
  }

  // After the timers by which focus traps take the focus.
  const observer = new MutationObserver(() => {
    window.clearTimeout(timer)
    timer = window.setTimeout(settle)
  })
  page.addEventListener('focusin', note)
  page.addEventListener('click', note, { capture: true })
  observer.observe(page.body, { childList: true, subtree: true })
  return () => {
    window.clearTimeout(timer)
    page.removeEventListener('focusin', note)
    page.removeEventListener('click', note, { capture: true })
    observer.disconnect()
  }
}

/** Focuses what wants the focus, else the first of the layer's content, else the button that closes it. */
function focusWithin(layer: Element): void {
  const all = (selector: string) => [...layer.querySelectorAll<HTMLElement>(selector)]
  const [content, header] = [FOCUSABLE, `header :is(${FOCUSABLE})`].map(all) as [HTMLElement[], HTMLElement[]]
  const ordered = [...all('[data-autofocus]'), ...content.filter((element) => !header.includes(element)), ...header]
  ordered.find(takesFocus)
}

/** Focuses the element; returns whether it has the focus. A hidden or disabled element does not take it. */
function takesFocus(element: HTMLElement): boolean {
  element.focus({ preventScroll: true })
  return element.ownerDocument.activeElement === element
}
