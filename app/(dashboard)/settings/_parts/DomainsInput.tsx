'use client'

import { TagsInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { MAX_EMBED_DOMAINS } from '#server/modules/identity/limits'

interface Props {
  domains: string[]
  onChange: (entered: string[]) => void
  problem: ReactNode
  disabled: boolean
}

/** Accepts domains one by one, or several at once separated by commas or spaces. */
export function DomainsInput({ domains, onChange, problem, disabled }: Props) {
  return (
    <TagsInput
      label="Domains"
      description="*.example.com matches all subdomains, but not example.com. The dashboard is always allowed."
      placeholder={domains.length === 0 ? 'example.com' : undefined}
      value={domains}
      onChange={onChange}
      onFocus={() => void import('#server/modules/identity/accounts/schema')}
      error={problem}
      maxTags={MAX_EMBED_DOMAINS}
      splitChars={[',', ' ', ';']}
      acceptValueOnBlur
      disabled={disabled}
    />
  )
}
