'use client'

import '@mantine/spotlight/styles.css'
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconHash, IconKey, IconMovie, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { SEARCH_LONGEST } from '#server/modules/dashboard/search-schema'
import type { CurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { useTRPC } from '../../../_trpc/client'
import { localZone, useTimeZone } from '../../../_ui/time-zone'
import { signOut } from '../sign-out'
import { useUploads } from '../uploads/uploads'
import { useSwitchAccount } from '../use-switch-account'
import { VideoStatusBadge } from '../VideoStatusBadge'
import { Chosen } from './Chosen'
import { actionCommands, type Command, type CommandActions, matching, pageCommands, videoCommands } from './commands'
import { noResults, PLACE_OF } from './identified'
import classes from './Palette.module.css'

const NewKeyDialog = dynamic(() => import('../keys/NewKeyDialog').then((module) => module.NewKeyDialog), { ssr: false })
const InviteDialog = dynamic(() => import('../team/InviteDialog').then((module) => module.InviteDialog), { ssr: false })

const [store, spotlight] = createSpotlight()

/** Searches a pasted key by its first characters; the rest is never sent. */
const withoutSecret = (text: string) => (/^ak_(live|test)_/.test(text) ? text.slice(0, 12) : text).slice(0, SEARCH_LONGEST)

/** Marks the first command as chosen, as the library marks it; keeps an existing choice unless `reset`. */
function select({ reset }: { reset: boolean }): void {
  const list = document.getElementById(store.getState().listId)
  const chosen = list?.querySelector('[data-selected]')
  if (!list || (chosen && !reset)) return
  chosen?.removeAttribute('data-selected')
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}

interface Props {
  me: CurrentUser
  baseUrl: string
  times: number
  /** Returns what was typed before its field had the focus. */
  takeTyped: () => string
  /** Lists the shortcuts. */
  onHelp: () => void
}

/** Searches pages, actions, videos and keys as the user types. Opens each time `times` grows. */
export function Palette({ me, baseUrl, times, takeTyped, onHelp }: Props) {
  const trpc = useTRPC()
  const router = useRouter()
  const [typed, setTyped] = useState('')
  const [dialog, setDialog] = useState<{ kind: 'key' | 'invite'; times: number }>()
  const [open, setOpen] = useState(true)
  const { openDialog } = useUploads()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  const [zone, setZone] = useTimeZone()
  const switchAccount = useSwitchAccount()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of `times` opens it
  useEffect(() => {
    // When reopened before it had closed, it still holds the previous input.
    setTyped('')
    spotlight.open()
  }, [times])

  const text = withoutSecret(typed.trim())
  const [asked] = useDebouncedValue(text, 120)
  const found = useQuery(trpc.search.find.queryOptions({ text: asked }, { enabled: asked.length > 1, placeholderData: keepPreviousData }))
  const { videos = [], keys = [], identified } = (text.length > 1 && found.data) || {}

  // Enter runs the first command of the new list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: reset when the search text changes, not with each render of the list
  useEffect(() => select({ reset: true }), [text])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a choice in the meantime is kept
  useEffect(() => select({ reset: false }), [found.data])

  const show = (kind: 'key' | 'invite') => {
    setOpen(true)
    setDialog({ kind, times })
  }
  const deeds: CommandActions = {
    go: (href) => router.push(href),
    upload: () => openDialog(),
    newKey: () => show('key'),
    invite: () => show('invite'),
    toggleTheme: () => setColorScheme(dark ? 'light' : 'dark'),
    toggleZone: () => setZone(zone === 'UTC' ? localZone() : 'UTC'),
    shortcuts: onHelp,
    switchAccount,
    signOut: () => void signOut(),
  }
  const videoId = /^\/videos\/(vid_[^/]+)/.exec(usePathname())?.[1]
  const video = useQuery(trpc.video.get.queryOptions({ videoId: videoId ?? '' }, { enabled: videoId !== undefined })).data
  const here = matching(videoId && video ? videoCommands(video, me, deeds) : [], text)
  const pages = matching(pageCommands(deeds), text)
  const actions = matching(actionCommands(me, { dark, utc: zone === 'UTC' }, deeds), text)
  const nothing = here.length + pages.length + actions.length + videos.length + keys.length === 0 && !identified
  const close = () => setOpen(false)

  return (
    <>
      <Spotlight.Root
        store={store}
        query={typed}
        onQueryChange={setTyped}
        shortcut={null}
        classNames={{ content: classes.content, body: classes.body }}
        radius="lg"
        centered={false}
        yOffset="12vh"
        overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
        transitionProps={{ transition: 'pop', duration: 120 }}
        attributes={{ content: { 'aria-label': 'Search and commands' } }}
      >
        <Spotlight.Search
          placeholder="Search or jump to…"
          aria-label="Search videos and keys, or jump to a page"
          onFocus={() => setTyped((now) => now + takeTyped())}
          leftSection={<IconSearch size={17} />}
        />
        <Spotlight.ActionsList>
          {here.length > 0 && <Commands title="This video" commands={here} />}
          {pages.length > 0 && <Commands title="Pages" commands={pages} />}
          {actions.length > 0 && <Commands title="Actions" commands={actions} />}
          {videos.length > 0 && (
            <Spotlight.ActionsGroup className={classes.group} label="Videos">
              {videos.map(({ id, title, status }) => (
                <Spotlight.Action
                  key={id}
                  leftSection={<IconMovie size={17} />}
                  rightSection={<VideoStatusBadge status={status} />}
                  label={title}
                  description={id}
                  onClick={() => router.push(`/videos/${id}`)}
                />
              ))}
            </Spotlight.ActionsGroup>
          )}
          {keys.length > 0 && (
            <Spotlight.ActionsGroup className={classes.group} label="API keys">
              {keys.map(({ id, name, prefix, environment }) => (
                <Spotlight.Action
                  key={id}
                  leftSection={<IconKey size={17} />}
                  rightSection={<span className={classes.hint}>{environment === 'LIVE' ? 'Live' : 'Test'}</span>}
                  label={name}
                  description={`${prefix}…`}
                  onClick={() => router.push(`/api-keys/${id}`)}
                />
              ))}
            </Spotlight.ActionsGroup>
          )}
          {identified && (
            <Spotlight.ActionsGroup className={classes.group} label={PLACE_OF[identified.kind].title}>
              <Spotlight.Action
                leftSection={<IconHash size={17} />}
                label={identified.name}
                description={identified.id}
                onClick={() => router.push(PLACE_OF[identified.kind].href(identified))}
              />
            </Spotlight.ActionsGroup>
          )}
          {nothing && <Spotlight.Empty>{found.isFetching ? 'Searching…' : noResults(typed.trim())}</Spotlight.Empty>}
        </Spotlight.ActionsList>
        <Chosen />
        <Spotlight.Footer className={classes.footer}>
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> to choose
          </span>
          <span>
            <kbd>↵</kbd> to open
          </span>
          <span>
            <kbd>Esc</kbd> to close
          </span>
        </Spotlight.Footer>
      </Spotlight.Root>
      {dialog?.kind === 'key' && <NewKeyDialog key={dialog.times} baseUrl={baseUrl} opened={open} onClose={close} />}
      {dialog?.kind === 'invite' && <InviteDialog key={dialog.times} opened={open} onClose={close} />}
    </>
  )
}

function Commands({ title, commands }: { title: string; commands: Command[] }) {
  return (
    <Spotlight.ActionsGroup className={classes.group} label={title}>
      {commands.map((command) => (
        <Spotlight.Action
          key={command.title}
          leftSection={command.icon}
          rightSection={command.keys && <span className={classes.hint}>{command.keys}</span>}
          label={command.title}
          onClick={command.run}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}
