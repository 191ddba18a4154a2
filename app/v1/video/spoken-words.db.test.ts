import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { listForDashboard } from '../../../server/modules/dashboard/list-videos.ts'
import { putCaptions, removeCaptions } from '../../../server/modules/videos/captions/captions.ts'
import { indexCaptions } from '../../../server/modules/videos/captions/index-captions.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: string
let english: string
let german: string

const vtt = (...lines: string[]) =>
  `WEBVTT\n\n${lines.map((line, at) => `00:${String(at).padStart(2, '0')}:00.000 --> 00:${String(at).padStart(2, '0')}:02.500\n${line}\n`).join('\n')}`

beforeAll(async () => {
  owner = await makeAccount()
  const other = await makeAccount()
  key = (await makeKey(owner)).value
  english = await makeVideo(owner)
  german = await makeVideo(owner)
  const foreign = await makeVideo(other)
  const talk = vtt('Ask not what your country', 'can do for you.', 'The <i>glaciers</i> are melting &amp; moving.', 'Our countries agree.')
  await putCaptions(owner, { videoId: english, language: 'en', label: '', text: talk })
  await putCaptions(owner, { videoId: english, language: 'ja', label: '', text: vtt('東京の天気は晴れです') })
  await putCaptions(owner, { videoId: english, language: 'ko', label: '', text: vtt('학교에서 친구를 만났습니다') })
  await putCaptions(owner, {
    videoId: german,
    language: 'de',
    label: '',
    text: vtt('Die Gletscher schmelzen.', 'Wir aßen Äpfel in Häusern.'),
  })
  await putCaptions(owner, { videoId: german, language: 'tr', label: '', text: vtt('\u0130stanbul g\u00fczel.') })
  await putCaptions(other, { videoId: foreign, language: 'en', label: '', text: talk })
  await indexCaptions()
})

async function find(transcript: string, more = '') {
  const { status, body } = await send(`${baseUrl}/v1/video?transcript=${encodeURIComponent(transcript)}${more}`, {
    headers: { 'x-service-key': key },
  })
  expect(status).toBe(200)
  return (JSON.parse(body).data as { id: string; spoken: { fromSec: number; text: string }[] }[]).map(({ id, spoken }) => ({ id, spoken }))
}
const ids = async (transcript: string, more?: string) => (await find(transcript, more)).map(({ id }) => id)

test('finds a video by the forms of a spoken word, with the times, and none of another account', async () => {
  const said = { language: 'en' }
  expect(await find('country')).toEqual([
    {
      id: english,
      spoken: [
        { ...said, fromSec: 0, toSec: 2.5, text: 'Ask not what your country' },
        { ...said, fromSec: 180, toSec: 182.5, text: 'Our countries agree.' },
      ],
    },
  ])
})

test('needs all words in one caption, whatever tags and escapes stand between them', async () => {
  expect(await ids('glacier moves')).toEqual([english])
  expect(await ids('glacier country')).toEqual([])
})

test.each([
  ['Apfel Haus', 'german'],
  ['ÄPFEL', 'german'],
  ['istanbul', 'german'],
  ['\u0130STANBUL', 'german'],
  ['天気', 'english'],
  ['학교', 'english'],
  ['東京の天気は', 'english'],
] as const)('reads %s as its language does', async (asked, which) => {
  expect(await ids(asked)).toEqual([which === 'german' ? german : english])
})

test('takes marks for no part of a word, wherever they come from', async () => {
  const videoId = await makeVideo(owner)
  const said = {
    fr: "L’hiver « froid »… c'est\u00a0l'automne\u202f!",
    es: '¿Dónde estás? — ¡Aquí!',
    en: 'He called it “penicillin”—a mould♪ 👋hello',
    ar: 'مرحبا، كيف الحال؟',
  }
  for (const [language, line] of Object.entries(said)) await putCaptions(owner, { videoId, language, label: '', text: vtt(line) })
  await indexCaptions()
  const found = async (asked: string) => ((await ids(asked)).includes(videoId) ? [] : [asked])
  const asked = [
    'hiver',
    "l'hiver",
    'l’automne',
    'froids',
    'automne',
    'dónde',
    'aquí',
    '¿dónde',
    'penicillin',
    'mould',
    'hello',
    '👋',
    'مرحبا',
    'الحال',
  ]
  expect((await Promise.all(asked.map(found))).flat()).toEqual([])
})

test.each(['', '   ', 'the', '& | ! ( ) : * <->', "'; DROP", '天京', '%', '\\'])(
  'finds nothing for %j, without an error',
  async (asked) => {
    if (asked.trim()) expect(await ids(asked)).toEqual([])
  },
)

test('combines with the other filters', async () => {
  expect(await ids('country', '&status=FAILED')).toEqual([])
  expect(await ids('country', '&q=nothing')).toEqual([])
})

test('finds them in the dashboard too, with the places', async () => {
  const { videos } = await listForDashboard(owner, { transcript: 'country agrees' })
  expect(videos.map(({ id, spoken }) => [id, spoken?.map(({ text }) => text)])).toEqual([[english, ['Our countries agree.']]])
})

test('refuses a text that is too long, by its name', async () => {
  const { status, body } = await send(`${baseUrl}/v1/video?transcript=${'a'.repeat(201)}`, { headers: { 'x-service-key': key } })
  expect(status).toBe(400)
  expect(JSON.parse(body).error.details).toMatchObject([{ in: 'query', path: 'transcript' }])
})

test('finds replaced captions no more at once, and the new ones once they are searchable', async () => {
  const videoId = await makeVideo(owner)
  await putCaptions(owner, { videoId, language: 'en', label: '', text: vtt('A walrus sings.') })
  await indexCaptions()
  expect(await ids('walrus')).toEqual([videoId])
  await putCaptions(owner, { videoId, language: 'en', label: '', text: vtt('A penguin dances.') })
  expect(await ids('walrus')).toEqual([])
  await indexCaptions()
  expect([await ids('walrus'), await ids('penguins')]).toEqual([[], [videoId]])
  await removeCaptions(owner, { videoId, language: 'en' })
  expect(await ids('penguin')).toEqual([])
})

test.each(['en', 'ja'])('searches the beginning of a caption that fills a file, and whatever comes after it (%s)', async (language) => {
  const [long, next] = [await makeVideo(owner), await makeVideo(owner)].sort() as [string, string]
  const words = Array.from({ length: 150_000 }, (_, at) =>
    language === 'en' ? `w${at.toString(36)}` : String.fromCodePoint(0x4e00 + (at % 20_000)),
  )
  await putCaptions(owner, { videoId: long, language, label: '', text: vtt(`zebra 斑馬 ${words.join(' ')}`) })
  await putCaptions(owner, { videoId: next, language, label: '', text: vtt('zebra 斑馬') })
  await indexCaptions()
  const found = await find('斑馬')
  expect(found.map(({ id }) => id).sort()).toEqual([long, next])
  expect(found.find(({ id }) => id === long)?.spoken[0]?.text).toHaveLength(2_000)
  for (const videoId of [long, next]) await removeCaptions(owner, { videoId, language })
})
