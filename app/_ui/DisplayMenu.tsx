import { Menu, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconClock, IconDeviceDesktop, IconMoon, IconSun, IconWorld } from '@tabler/icons-react'
import { localZone, useTimeZone } from './time-zone'

const SCHEMES = [
  { value: 'light', title: 'Light', icon: IconSun },
  { value: 'dark', title: 'Dark', icon: IconMoon },
  { value: 'auto', title: 'System', icon: IconDeviceDesktop },
] as const

/** Renders the items of a menu that choose the theme and the time zone. */
export function DisplayMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [zone, setZone] = useTimeZone()
  const local = localZone()
  const zones = [
    { value: local, title: `Local (${local.replaceAll('_', ' ')})`, icon: IconClock },
    ...(local === 'UTC' ? [] : [{ value: 'UTC', title: 'UTC', icon: IconWorld }]),
  ]
  return (
    <>
      <Menu.Label>Theme</Menu.Label>
      <Choices choices={SCHEMES} chosen={colorScheme} onChoose={setColorScheme} />
      <Menu.Divider />
      <Menu.Label>Times</Menu.Label>
      <Choices choices={zones} chosen={zone} onChoose={setZone} />
    </>
  )
}

interface Props<Value extends string> {
  choices: readonly { value: Value; title: string; icon: typeof IconSun }[]
  chosen: string
  onChoose: (value: Value) => void
}

function Choices<Value extends string>({ choices, chosen, onChoose }: Props<Value>) {
  return choices.map(({ value, title, icon: Icon }) => (
    <Menu.Item
      key={value}
      leftSection={<Icon size={15} />}
      rightSection={value === chosen && <IconCheck size={14} aria-label="selected" />}
      onClick={() => onChoose(value)}
    >
      {title}
    </Menu.Item>
  ))
}
