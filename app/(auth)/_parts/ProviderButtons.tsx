'use client'

import { Button, Divider, Stack } from '@mantine/core'
import { IconBrandGithub, IconBrandGoogle, IconLogin2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { ProviderId } from '#server/modules/identity/sign-in/schema'
import { Notice } from '../../_ui/Notice'
import { goToProvider, safePath } from './session'

const ICONS = { github: IconBrandGithub, google: IconBrandGoogle, oidc: IconLogin2 }

/** Renders the sign-in providers of this installation; nothing when there are none. */
export function ProviderButtons({ providers, from }: { providers: { id: ProviderId; name: string }[]; from: string | undefined }) {
  const [busy, setBusy] = useState<ProviderId>()
  const [problem, setProblem] = useState<string>()
  if (providers.length === 0) return null

  const go = async (id: ProviderId) => {
    setBusy(id)
    const problem = await goToProvider(id, safePath(from))
    setProblem(problem)
    if (problem) setBusy(undefined)
  }

  return (
    <Stack gap="sm" mt="lg">
      <Divider label="or" labelPosition="center" />
      {problem && <Notice tone="bad">{problem}</Notice>}
      {providers.map(({ id, name }) => {
        const Icon = ICONS[id]
        return (
          <Button
            key={id}
            variant="default"
            fullWidth
            leftSection={<Icon size={17} stroke={1.7} />}
            loading={busy === id}
            disabled={busy !== undefined && busy !== id}
            onClick={() => void go(id)}
          >
            Continue with {name}
          </Button>
        )
      })}
    </Stack>
  )
}
