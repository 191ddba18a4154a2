'use client'

import { type RefCallback, useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'

const never = () => () => {}

/** Returns whether this component comes from the server's HTML, so that its fields could be used before the page was live. */
export function useFromServer(): boolean {
  const hydrating = useSyncExternalStore(
    never,
    () => false,
    () => true,
  )
  return useState(hydrating)[0]
}

const isChanged = (input: HTMLInputElement | HTMLTextAreaElement) =>
  input instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(input.type)
    ? input.checked !== input.defaultChecked
    : input.value !== input.defaultValue

/**
 * Returns what a person or a password manager entered in a field before the page was live; undefined for nothing. `initial` is its value in
 * the HTML, whose type is kept. The field of several inputs is their group: of radio buttons, or of the digits of a code.
 */
export function enteredIn(field: Element, initial: unknown): string | number | boolean | undefined {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    // The text in a list's field is the label of its value, or a search.
    if (!isChanged(field) || field.hasAttribute('aria-haspopup')) return undefined
    if (typeof initial === 'boolean') return field.type === 'checkbox' ? (field as HTMLInputElement).checked : undefined
    if (typeof initial !== 'number') return typeof initial === 'string' ? field.value : undefined
    const number = Number(field.value)
    return field.value !== '' && Number.isFinite(number) ? number : undefined
  }
  const inputs = [...field.querySelectorAll('input')].filter(({ type }) => type !== 'hidden')
  if (typeof initial !== 'string' || !inputs.some(isChanged)) return undefined
  if (inputs.every(({ type }) => type === 'radio')) return inputs.find(({ checked }) => checked)?.value
  return inputs.every(({ maxLength, type }) => maxLength === 1 || type === 'tel') ? inputs.map(({ value }) => value).join('') : undefined
}

/** Returns the `ref` of a field with a state of its own. Calls `apply` with what was entered in it before the page was live. */
export function useEntered(apply: (text: string) => void): RefCallback<HTMLInputElement> {
  const fromServer = useFromServer()
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(apply)
  latest.current = apply
  useLayoutEffect(() => {
    const entered = fromServer && field.current ? enteredIn(field.current, '') : undefined
    if (typeof entered === 'string') latest.current(entered)
  }, [fromServer])
  return useCallback((node) => {
    field.current = node
  }, [])
}
