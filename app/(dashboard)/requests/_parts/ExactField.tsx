'use client'

import { CloseButton, TextInput } from '@mantine/core'
import { useState } from 'react'

interface Props {
  /** The field of the filter's schema that checks it. */
  name: 'videoId' | 'address'
  label: string
  placeholder: string
  problem: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Renders a filter by a whole value, which applies when it is complete: with Enter, or when the field is left. */
export function ExactField({ name, label, placeholder, problem, value, onChange }: Props) {
  const [text, setText] = useState(value ?? '')
  const [applied, setApplied] = useState(value)
  const [isWrong, setIsWrong] = useState(false)
  // The filter can change elsewhere, and be cleared.
  if (value !== applied) {
    setApplied(value)
    setText(value ?? '')
    setIsWrong(false)
  }
  const apply = async (typed: string) => {
    const wanted = typed.trim()
    if (wanted === (value ?? '')) return setIsWrong(false)
    if (!wanted) return onChange(undefined)
    const { requestFilter } = await import('#server/modules/analytics/schema')
    const { success } = requestFilter.shape[name].safeParse(wanted)
    setIsWrong(!success)
    if (success) onChange(wanted)
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      maxLength={80}
      autoComplete="off"
      spellCheck={false}
      value={text}
      error={isWrong && problem}
      rightSection={
        value ? (
          <CloseButton
            size="sm"
            aria-label={`Clear ${label.slice(0, 1).toLowerCase()}${label.slice(1)}`}
            onClick={() => onChange(undefined)}
          />
        ) : undefined
      }
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => void apply(text)}
      onKeyDown={(event) => event.key === 'Enter' && void apply(text)}
    />
  )
}
