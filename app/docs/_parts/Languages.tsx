'use client'

import { Tabs, TabsList, TabsPanel, TabsTab } from '@mantine/core'
import { type ReactNode, useState, useSyncExternalStore } from 'react'

interface Props {
  programs: { language: string; program: ReactNode }[]
  /** Whether a choice applies to all such tabs of the docs. */
  shared?: boolean
}

/** Shows the same program in several languages, one at a time. */
export function Languages({ programs, shared = false }: Props) {
  const [own, setOwn] = useState<string>()
  const common = useSyncExternalStore(subscribe, () => chosen, nothing)
  const language = shared ? common : own
  const shown = programs.find((one) => one.language === language) ?? programs[0]
  return (
    <Tabs value={shown?.language ?? null} onChange={(value) => value && (shared ? choose(value) : setOwn(value))}>
      <TabsList mb="sm">
        {programs.map(({ language }) => (
          <TabsTab key={language} value={language}>
            {language}
          </TabsTab>
        ))}
      </TabsList>
      {programs.map(({ language, program }) => (
        <TabsPanel key={language} value={language}>
          {program}
        </TabsPanel>
      ))}
    </Tabs>
  )
}

let chosen: string | undefined
const listeners = new Set<() => void>()
const nothing = () => undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function choose(language: string) {
  chosen = language
  for (const listener of listeners) listener()
}
