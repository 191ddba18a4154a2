'use client'

import { Tabs, TabsList, TabsPanel, TabsTab } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shows the same program in several languages, one at a time. */
export function Languages({ programs }: { programs: { language: string; program: ReactNode }[] }) {
  return (
    <Tabs defaultValue={programs[0]?.language}>
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
