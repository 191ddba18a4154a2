import { Button, Menu } from '@mantine/core'
import { IconArrowsSort } from '@tabler/icons-react'
import type { ListSort } from '#server/modules/videos/list/list-schema'

const SORTS: Record<ListSort, string> = { newest: 'Newest first', oldest: 'Oldest first', title: 'Title', longest: 'Longest first' }

/** Chooses the order of the list. A menu, not a `Select`: the page starts without the scripts of one. */
export function SortMenu({ sort, onChange }: { sort: ListSort; onChange: (sort: ListSort) => void }) {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconArrowsSort size={15} />} aria-label={`Sort: ${SORTS[sort]}`}>
          {SORTS[sort]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={sort} onChange={(value) => onChange(value as ListSort)}>
          {Object.entries(SORTS).map(([value, title]) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
