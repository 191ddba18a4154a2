import {
  IconBadgeCc,
  IconBook2,
  IconBuilding,
  IconClock,
  IconCloudDownload,
  IconCreditCard,
  IconFileInvoice,
  IconHistory,
  IconKey,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconReceipt,
  IconSun,
  IconUpload,
  IconUserPlus,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import type { CurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { type Permission, roleMay } from '#server/permissions'
import { foldCase } from '#server/platform/text/fold-case'
import { languageName } from '../../../_ui/language-name'
import { PLACES } from '../places'

export interface Command {
  title: string
  icon: ReactNode
  /** Further search terms that find this command. */
  keywords: string
  /** Its shortcut. */
  keys?: string
  run: () => void
}

/** The actions of the palette's commands, which the palette implements. */
export interface CommandActions {
  go: (href: string) => void
  upload: () => void
  newKey: () => void
  invite: () => void
  toggleTheme: () => void
  toggleZone: () => void
  shortcuts: () => void
  switchAccount: (accountId: string) => void
  signOut: () => void
}

const SIZE = 17

/** Returns the pages that every member may read. */
export const pageCommands = ({ go }: CommandActions): Command[] => [
  ...PLACES.map(({ href, letter, title, icon: Icon, keywords }) => ({
    ...{ title, icon: <Icon size={SIZE} />, keywords, keys: `G ${letter.toUpperCase()}` },
    run: () => go(href),
  })),
  {
    title: 'Uploads',
    icon: <IconCloudDownload size={SIZE} />,
    keywords: 'imports from URL videos failed',
    run: () => go('/videos/uploads'),
  },
  {
    title: 'Billing limits',
    icon: <IconCreditCard size={SIZE} />,
    keywords: 'spending caps low balance',
    run: () => go('/billing/limits'),
  },
  { title: 'Ledger', icon: <IconReceipt size={SIZE} />, keywords: 'billing entries charges', run: () => go('/billing/ledger') },
  { title: 'Statements', icon: <IconFileInvoice size={SIZE} />, keywords: 'billing months receipts', run: () => go('/billing/statements') },
  { title: 'Audit log', icon: <IconHistory size={SIZE} />, keywords: 'changes history who', run: () => go('/team/audit-log') },
  { title: 'Documentation', icon: <IconBook2 size={SIZE} />, keywords: 'docs guides api reference help', run: () => go('/docs') },
]

/** Returns the actions that this role can perform on any page. */
export function actionCommands(me: CurrentUser, { dark, utc }: { dark: boolean; utc: boolean }, deeds: CommandActions): Command[] {
  const mine: (Command & { needs?: Permission })[] = [
    { title: 'Upload video', icon: <IconUpload size={SIZE} />, keywords: 'add new', needs: 'videos.change', run: deeds.upload },
    { title: 'Generate API key', icon: <IconKey size={SIZE} />, keywords: 'new create add', needs: 'keys.change', run: deeds.newKey },
    {
      title: 'Invite member',
      icon: <IconUserPlus size={SIZE} />,
      keywords: 'add team person',
      needs: 'team.change',
      run: deeds.invite,
    },
    {
      title: dark ? 'Switch to light theme' : 'Switch to dark theme',
      icon: dark ? <IconSun size={SIZE} /> : <IconMoon size={SIZE} />,
      keywords: 'toggle colour scheme dark light mode',
      run: deeds.toggleTheme,
    },
    {
      title: utc ? 'Show times in local time' : 'Show times in UTC',
      icon: <IconClock size={SIZE} />,
      keywords: 'time zone dates hours',
      run: deeds.toggleZone,
    },
    { title: 'Keyboard shortcuts', icon: <IconKeyboard size={SIZE} />, keywords: 'keys hotkeys help', run: deeds.shortcuts },
    ...me.accounts
      .filter(({ id }) => id !== me.account.id)
      .map(({ id, name }) => ({
        title: `Switch to account ${name}`,
        icon: <IconBuilding size={SIZE} />,
        keywords: 'go to change',
        run: () => deeds.switchAccount(id),
      })),
    { title: 'Sign out', icon: <IconLogout size={SIZE} />, keywords: 'log out leave', run: deeds.signOut },
  ]
  return mine.filter(({ needs }) => !needs || roleMay(me.role, needs))
}

/** Returns the actions on the video whose page is open. */
export function videoCommands(
  { id, captions, deletedAt, takenDownAt }: DashboardDetail,
  me: CurrentUser,
  { go }: CommandActions,
): Command[] {
  if (deletedAt || takenDownAt || !roleMay(me.role, 'videos.change')) return []
  return captions.map(({ language }) => ({
    title: `Edit ${languageName(language)} captions`,
    icon: <IconBadgeCc size={SIZE} />,
    keywords: `subtitles transcript correct ${language}`,
    run: () => go(`/videos/${id}/captions/${language}`),
  }))
}

/** Returns the commands that contain every typed word, those whose title starts with the input first. */
export function matching(commands: Command[], typed: string): Command[] {
  const words = foldCase(typed).split(/\s+/).filter(Boolean)
  const fits = commands.filter(({ title, keywords }) => {
    const text = foldCase(`${title} ${keywords}`)
    return words.every((word) => text.includes(word))
  })
  const begins = ({ title }: Command) => foldCase(title).startsWith(words[0] ?? '')
  return words.length === 0 ? fits : [...fits.filter(begins), ...fits.filter((one) => !begins(one))]
}
