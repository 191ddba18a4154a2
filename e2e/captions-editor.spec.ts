import { expect, type Page } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { faults, settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { video } from './long-session.ts'
import { baseOf, newEmail, PASSWORD, visit } from './person.ts'
import { type PublishedVideo, publishVideo } from './published-video.ts'

const VTT = `WEBVTT

00:00:01.000 --> 00:00:04.000 line:0
Ask not what your contry can do for you.

00:00:04.000 --> 00:00:06.000
<i>Ask what you</i>

00:00:06.000 --> 00:00:08.000
can do for your country.
`

/** Replaces the published captions, as an upload does. */
async function upload({ dashboard, videoId }: PublishedVideo, text: string): Promise<void> {
  const { captions } = await dashboard.query<{ captions: { name: string; label: string } | null }>('captions.editor', {
    videoId,
    language: 'en',
  })
  const expected = captions && { name: captions.name, label: captions.label }
  await dashboard.mutate('video.putCaptions', { videoId, language: 'en', label: '', text, expected })
}

/** Publishes a video with these captions, and signs the page's browser in. */
async function captioned(page: Page): Promise<PublishedVideo> {
  const made = await publishVideo(baseOf(), { kind: 'clip', seconds: 12 })
  await upload(made, VTT)
  await page.context().addCookies(made.dashboard.cookieJar())
  return made
}

const captions = (page: Page) => page.getByRole('region', { name: 'Captions' }).getByRole('textbox')
const caption = (page: Page, at: string) => page.getByRole('textbox', { name: `Caption at ${at}` })
const texts = (page: Page) => captions(page).evaluateAll((fields) => fields.map((field) => (field as HTMLTextAreaElement).value))
const saved = (page: Page) => page.getByText('Draft saved, not published')
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Adds a member to the account of a video's owner. */
async function newMember({ dashboard: owner }: PublishedVideo): Promise<{ email: string; dashboard: Dashboard }> {
  const email = newEmail()
  const dashboard = await Dashboard.signUp(baseOf(), email, PASSWORD)
  const { url } = await owner.mutate<{ url: string }>('team.invite', { email, role: 'DEVELOPER' })
  await dashboard.mutate('team.accept', { token: new URL(url).hash.slice(1) })
  return { email, dashboard }
}

/** Returns the texts of the captions that a player shows. */
const played = (page: Page) =>
  video(page).evaluate((element: HTMLVideoElement) => {
    const track = [...element.textTracks].find(({ language }) => language === 'en')
    return [...(track?.cues ?? [])].map((cue) => (cue as VTTCue).text)
  })

test('captions are corrected, split, merged, moved, replaced and published by keyboard alone', async ({ page }) => {
  const { videoId, playerUrl } = await captioned(page)
  await visit(page, `/videos/${videoId}`)
  await page.getByRole('link', { name: 'Edit English' }).press('Enter')
  await expect(page).toHaveURL(`/videos/${videoId}/captions/en`)
  await expect(page.getByText('Published · 3 captions')).toBeVisible()
  await expect(page.frameLocator('iframe').locator('#stage')).toHaveAttribute('data-state', 'playing')
  await soundInBothThemes(page)

  await press(page, 'Control+ArrowDown')
  await expect(caption(page, '0:01.000')).toBeFocused()
  await press(page, 'Home', ...Array<string>(20).fill('ArrowRight'), 'u')
  await expect(caption(page, '0:01.000')).toHaveValue('Ask not what your country can do for you.')
  await press(page, ...Array<string>(5).fill('ArrowRight'), 'Alt+s')
  expect(await texts(page)).toEqual(['Ask not what your country', 'can do for you.', '<i>Ask what you</i>', 'can do for your country.'])
  await expect(page.getByRole('status').filter({ hasText: 'Split.' })).toBeVisible()

  await press(page, 'ArrowDown')
  await expect(caption(page, '0:04.000')).toBeFocused()
  await press(page, 'Alt+m')
  expect((await texts(page)).slice(2)).toEqual(['<i>Ask what you</i> can do for your country.'])

  await press(page, 'Alt+t')
  const shift = page.getByRole('dialog', { name: 'Shift times' })
  await expect(shift.getByRole('textbox', { name: 'Seconds' })).toBeFocused()
  expect(await faults(page)).toEqual([])
  await press(page, '-', '2', 'Enter')
  await expect(shift.getByText('The first caption starts at 0:01.000')).toBeVisible()
  await press(page, 'Control+a', '0', '.', '5', 'Enter')
  await expect(shift).toBeHidden()
  await expect(caption(page, '0:04.500')).toBeFocused()

  await press(page, 'Control+f')
  await expect(page.getByRole('textbox', { name: 'Find' })).toBeFocused()
  await page.keyboard.type('YOUR')
  await expect(page.getByText('1 of 2', { exact: true })).toBeVisible()
  await press(page, 'Tab')
  await page.keyboard.type('our')
  expect(await faults(page)).toEqual([])
  await press(page, 'Enter')
  await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
  await press(page, 'Enter')
  await expect(page.getByText('Not found')).toBeVisible()
  await press(page, 'Escape')
  const done = ['Ask not what our country', 'can do for you.', '<i>Ask what you</i> can do for our country.']
  expect(await texts(page)).toEqual(done)
  await press(page, 'Control+z')
  expect((await texts(page))[2]).toBe('<i>Ask what you</i> can do for your country.')
  await press(page, 'Control+Shift+z')
  expect(await texts(page)).toEqual(done)

  await expect(saved(page)).toBeVisible()
  await page.reload()
  await expect(saved(page)).toBeVisible()
  expect(await texts(page)).toEqual(done)
  await press(page, 'Control+Enter')
  await expect(page.getByText('Published · 3 captions')).toBeVisible()
  await press(page, 'Control+/')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('AltSSplit at the cursor')
  await settled(page)
  expect(await faults(page)).toEqual([])

  await page.goto(`${await playerUrl()}&captions=en`)
  await expect.poll(() => played(page)).toEqual(done)
})

test('two members who edit the same captions choose between their versions, and neither is lost', async ({ page, browser }) => {
  const made = await captioned(page)
  const { videoId, email } = made
  const member = await newMember(made)
  const other = await (await browser.newContext()).newPage()
  await other.context().addCookies(member.dashboard.cookieJar())
  const address = `/videos/${videoId}/captions/en`
  for (const one of [page, other]) {
    await visit(one, address)
    await expect(captions(one)).toHaveCount(3)
  }
  // The second page hears of no change until it saves.
  await other.route('**/api/trpc/video.watch**', (route) => route.abort())
  await other.reload()
  await expect(captions(other)).toHaveCount(3)
  await caption(page, '0:04.000').fill('Ask what WE')
  await expect(saved(page)).toBeVisible()
  await caption(other, '0:06.000').fill('can do for the world.')
  const conflict = other.getByRole('alert').filter({ hasText: `${email} changed this draft` })
  await expect(conflict).toBeVisible()
  await conflict.getByText('Show the 2 differences').click()
  await expect(conflict.getByRole('table', { name: 'Differences' })).toContainText('can do for the world.')
  await expect(conflict.getByRole('table', { name: 'Differences' })).toContainText('Ask what WE')
  await soundInBothThemes(other)
  await conflict.getByRole('button', { name: 'Keep my version' }).click()
  await expect(conflict).toBeHidden()
  await expect(saved(other)).toBeVisible()

  const notice = page.getByRole('alert').filter({ hasText: `${member.email} changed this draft` })
  await notice.getByRole('button', { name: 'Use their version' }).click()
  await expect(notice).toBeHidden()
  expect(await texts(page)).toEqual(['Ask not what your contry can do for you.', '<i>Ask what you</i>', 'can do for the world.'])
  await page.getByRole('button', { name: 'Undo' }).click()
  expect((await texts(page))[1]).toBe('Ask what WE')
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect(saved(page)).toBeVisible()

  await upload(made, VTT.replace('contry', 'country'))
  const stale = page.getByRole('alert').filter({ hasText: 'The published captions changed after this draft began' })
  await expect(stale).toBeVisible()
  await soundInBothThemes(page)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const ask = page.getByRole('dialog', { name: 'Publish these captions?' })
  await expect(ask).toContainText(`${email} changed the published captions`)
  await ask.getByRole('button', { name: 'Cancel' }).click()
  await stale.getByRole('button', { name: 'Use the published captions' }).click()
  expect((await texts(page))[0]).toBe('Ask not what your country can do for you.')
})

test('the history shows former versions and takes one into the draft; files are imported and exported', async ({ page }) => {
  const made = await captioned(page)
  const { videoId } = made
  await upload(made, VTT.replace('contry', 'country'))
  await visit(page, `/videos/${videoId}/captions/en`)
  await expect(captions(page)).toHaveCount(3)
  const more = (name: string) =>
    page
      .getByRole('button', { name: 'More actions' })
      .click()
      .then(() => page.getByRole('menuitem', { name }).click())
  await more('Version history')
  const history = page.getByRole('dialog', { name: 'Version history' })
  await expect(history.getByRole('listitem')).toHaveCount(2)
  await settled(page)
  await soundInBothThemes(page)
  await history.getByRole('button', { name: 'View version 1' }).click()
  await expect(history).toContainText('Ask not what your contry')
  expect(await faults(page)).toEqual([])
  await history.getByRole('button', { name: 'Use in the draft' }).click()
  await expect(caption(page, '0:01.000')).toHaveValue('Ask not what your contry can do for you.')
  await expect(saved(page)).toBeVisible()

  const chosen = page.waitForEvent('filechooser')
  await more('Import a file…')
  const srt = '1\n00:00:02,000 --> 00:00:03,000\nFrom a file\n\n2\n00:00:03,000 --> 00:00:05,000\n{\\an8}At the top\n'
  await (await chosen).setFiles({ name: 'lesson.srt', mimeType: 'application/x-subrip', buffer: Buffer.from(srt) })
  const replace = page.getByRole('dialog', { name: 'Replace the captions in the editor?' })
  await expect(replace).toContainText('lesson.srt has 2 captions. They replace the 3 captions in the editor.')
  await replace.getByRole('button', { name: 'Replace' }).click()
  await expect(captions(page)).toHaveCount(2)

  const exported = async (name: string) => {
    const begun = page.waitForEvent('download')
    await more(name)
    const file = await begun
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    return [file.suggestedFilename(), Buffer.concat(chunks).toString()]
  }
  expect(await exported('Export SRT')).toEqual([
    'Harbour.en.srt',
    '1\n00:00:02,000 --> 00:00:03,000\nFrom a file\n\n2\n00:00:03,000 --> 00:00:05,000\nAt the top\n',
  ])
  expect(await exported('Export WebVTT')).toEqual([
    'Harbour.en.vtt',
    'WEBVTT\n\n00:00:02.000 --> 00:00:03.000\nFrom a file\n\n00:00:03.000 --> 00:00:05.000 line:0\nAt the top\n',
  ])
  await more('Discard draft')
  await expect(caption(page, '0:01.000')).toHaveValue('Ask not what your country can do for you.')
  await expect(page.getByText('Published · 3 captions')).toBeVisible()
})

test('captions are written from nothing on a phone, and what was typed last survives the page', async ({ page }) => {
  const { videoId } = await captioned(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await visit(page, `/videos/${videoId}`)
  await page.getByRole('button', { name: 'Add captions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add captions' })
  await dialog.getByRole('button', { name: 'Write captions in the editor' }).click()
  await expect(dialog.getByText('Choose the language of your captions.')).toBeVisible()
  await dialog.getByRole('combobox', { name: 'Language' }).fill('german')
  await page.getByRole('option', { name: 'German (de)' }).click()
  await dialog.getByRole('button', { name: 'Write captions in the editor' }).click()
  await expect(page.getByRole('heading', { name: 'German captions' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Start' })).toBeHidden()
  await page.getByRole('button', { name: 'New caption' }).click()
  await caption(page, '0:00.000').fill('Guten Abend')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect(captions(page)).toHaveCount(2)
  // No time to save: the page is left at once.
  await page.goto('/videos')
  await page.goBack()
  await expect(caption(page, '0:00.000')).toHaveValue('Guten Abend')
  await visit(page, `/videos/${videoId}`)
  await expect(page.getByText('de · Unpublished draft', { exact: true })).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page.getByRole('link', { name: 'Edit German' }).click()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const ask = page.getByRole('dialog', { name: 'Publish these captions?' })
  await expect(ask).toContainText('1 caption without text will be left out.')
  await settled(page)
  expect(await faults(page)).toEqual([])
  await ask.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Published · 1 caption')).toBeVisible()
  expect(await texts(page)).toEqual(['Guten Abend'])
  await page.reload()
  await expect(page.getByText('Published · 1 caption')).toBeVisible()
  expect(await texts(page)).toEqual(['Guten Abend'])
})

test('what could not be saved is offered on return, not over what others saved since, and is gone after signing out', async ({ page }) => {
  const made = await captioned(page)
  const address = `/videos/${made.videoId}/captions/en`
  const context = page.context()
  const unreachable = () => context.route('**/api/trpc/captions.saveDraft**', (route) => route.abort())
  const stored = (one: Page) => one.evaluate(() => JSON.stringify(localStorage))
  /** Edits the captions while nothing can be saved, until the page crashes. */
  const lose = async (one: Page, edits: Record<string, string>) => {
    await unreachable()
    for (const [at, text] of Object.entries(edits)) await caption(one, at).fill(text)
    await expect(one.getByText('Not saved:')).toBeVisible()
    await expect.poll(() => stored(one)).toContain(Object.values(edits).at(-1))
    const crashed = one.waitForEvent('crash')
    const browser = await context.newCDPSession(one)
    void browser.send('Page.crash').catch(() => undefined)
    await crashed
    await one.close()
    await context.unroute('**/api/trpc/captions.saveDraft**')
    const next = await context.newPage()
    await visit(next, address)
    await expect(captions(next)).toHaveCount(3)
    return next
  }
  const offer = (one: Page, text: string) => one.getByRole('alert').filter({ hasText: text })
  await visit(page, address)
  await expect(captions(page)).toHaveCount(3)
  const second = await lose(page, { '0:01.000': 'Ask not', '0:06.000': 'can do.' })
  const two = offer(second, '2 unsaved changes from just now')
  await two.getByText('Show the 2 differences').click()
  await expect(two.getByRole('table', { name: 'Differences' })).toContainText('Ask not what your contry can do for you.')
  await soundInBothThemes(second)
  await second.reload()
  await two.getByRole('button', { name: 'Restore' }).click()
  await expect(saved(second)).toBeVisible()
  expect(await texts(second)).toEqual(['Ask not', '<i>Ask what you</i>', 'can do.'])
  await second.reload()
  await expect(saved(second)).toBeVisible()
  await expect(offer(second, 'unsaved')).toHaveCount(0)

  // Meanwhile another member saves the draft.
  await unreachable()
  await caption(second, '0:04.000').fill('Mine')
  await expect(second.getByText('Not saved:')).toBeVisible()
  const member = await newMember(made)
  const { draft } = await member.dashboard.query<{ draft: { revision: number; basedOn: string } }>('captions.editor', {
    ...{ videoId: made.videoId, language: 'en' },
  })
  await member.dashboard.mutate('captions.saveDraft', {
    ...{ videoId: made.videoId, language: 'en', revision: draft.revision, basedOn: draft.basedOn, text: VTT.replace('contry', 'world') },
  })
  const third = await lose(second, { '0:04.000': 'Mine, and more' })
  await offer(third, '3 unsaved changes').getByRole('button', { name: 'Restore' }).click()
  const conflict = offer(third, `${member.email} changed this draft`)
  await conflict.getByRole('button', { name: 'Use their version' }).click()
  expect((await texts(third))[0]).toBe('Ask not what your world can do for you.')
  await expect(saved(third)).toBeVisible()

  const last = await lose(third, { '0:01.000': 'A secret' })
  await expect(offer(last, '1 unsaved change from')).toBeVisible()
  await last.getByRole('button', { name: /^Account/ }).click()
  await last.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(last).toHaveURL(/\/sign-in$/)
  expect(await stored(last)).not.toContain('A secret')
})

test('the palette opens the captions in each language of the video on the page', async ({ page }) => {
  const { videoId, dashboard } = await captioned(page)
  await dashboard.mutate('video.putCaptions', { videoId, language: 'de', label: '', text: VTT, expected: null })
  await visit(page, `/videos/${videoId}/activity`)
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  const run = async (typed: string) => {
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('textbox')).toBeFocused()
    await page.keyboard.type(typed)
  }
  await run('captions')
  await expect(palette.getByRole('button', { name: /captions$/ })).toHaveText(['Edit German captions', 'Edit English captions'])
  await soundInBothThemes(page)
  await page.keyboard.press('Escape')
  await run('edit english')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/videos/${videoId}/captions/en`)
})
