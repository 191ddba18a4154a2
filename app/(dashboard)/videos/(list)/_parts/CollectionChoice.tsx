'use client'

import { Button, CheckIcon, Combobox, TextInput, useCombobox } from '@mantine/core'
import { IconFolderCog, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { CollectionObject } from '#server/modules/videos/collections/schema'
import { foldCase } from '#server/platform/text/fold-case'
import classes from './Collections.module.css'

/** Value of the option for all videos; no collection has this id. */
const ALL = 'all'

interface Props {
  collections: readonly CollectionObject[]
  chosen: string | undefined
  onChoose: (collectionId: string | undefined) => void
  /** Undefined for users who may only read. */
  onManage: (() => void) | undefined
}

/** Finds a collection by its name. */
export function CollectionChoice({ collections, chosen, onChoose, onManage }: Props) {
  const [typed, setTyped] = useState('')
  const combobox = useCombobox()
  const sought = foldCase(typed.trim())
  const found = collections.filter(({ name }) => foldCase(name).includes(sought))
  const option = (id: string, name: string, active: boolean) => (
    <Combobox.Option key={id} value={id} active={active} className={classes.option}>
      <span className={classes.name}>{name}</span>
      {active && <CheckIcon size={11} aria-label="chosen" />}
    </Combobox.Option>
  )
  return (
    <Combobox store={combobox} onOptionSubmit={(id) => onChoose(id === ALL ? undefined : id)}>
      <Combobox.EventsTarget>
        <TextInput
          aria-label="Find a collection"
          placeholder="Find a collection"
          leftSection={<IconSearch size={15} />}
          data-autofocus
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            combobox.updateSelectedOptionIndex()
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes.options} aria-label="Collections">
        {!sought && option(ALL, 'All collections', !chosen)}
        {found.map(({ id, name }) => option(id, name, id === chosen))}
        {found.length === 0 && <Combobox.Empty>{collections.length === 0 ? 'No collections yet' : 'No results'}</Combobox.Empty>}
      </Combobox.Options>
      {onManage && (
        <div className={classes.manage}>
          <Button variant="subtle" color="gray" fullWidth justify="flex-start" leftSection={<IconFolderCog size={15} />} onClick={onManage}>
            Manage collections…
          </Button>
        </div>
      )}
    </Combobox>
  )
}
