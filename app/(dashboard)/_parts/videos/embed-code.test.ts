import { expect, it } from 'vitest'
import { type EmbedOptions, elementCode, frameCode, parametersOf } from './embed-code.ts'

const NONE: EmbedOptions = {
  ...{ autoplay: false, muted: false, loop: false, title: true },
  ...{ start: '', lang: '', captions: '', transcript: false, color: '', width: null },
}
const ALL: EmbedOptions = {
  ...{ autoplay: true, muted: true, loop: true, title: false },
  ...{ start: '1:30', lang: 'de', captions: 'pt-BR', transcript: true, color: '#ff6600', width: 640 },
}
const embedded = (options: EmbedOptions) => ({ videoId: 'vid_1', sdkUrl: 'https://sdk.example.com', ratio: '16 / 9', options })

it('appends each option that differs from the default', () => {
  expect(parametersOf(ALL)).toBe('autoplay=1&muted=1&loop=1&transcript=1&t=1:30&color=ff6600&title=0&captions=pt-BR&lang=de')
  expect(parametersOf(NONE)).toBe('')
})

it('the code has the options that differ from the defaults', () => {
  expect(frameCode(embedded(NONE))).toContain('src="https://sdk.example.com/embed/vid_1?token=<PLAYBACK_TOKEN>"')
  expect(frameCode(embedded(ALL))).toContain(
    '&amp;autoplay=1&amp;muted=1&amp;loop=1&amp;transcript=1&amp;t=1:30&amp;color=ff6600&amp;title=0',
  )
  expect(frameCode(embedded(ALL))).toContain('style="width: 640px; max-width: 100%; aspect-ratio: 16 / 9; border: 0"')
  expect(elementCode(embedded(NONE))).toContain('<reelgate-player video-id="vid_1" token="<PLAYBACK_TOKEN>"></reelgate-player>')
  expect(elementCode(embedded(ALL))).toContain(
    ' autoplay muted loop transcript start="1:30" color="ff6600" show-title="0" captions="pt-BR" lang="de" style=',
  )
})
