import { expect, it } from 'vitest'
import { playerPage } from './document.ts'

const assets = { script: '/player/player-00000000.js', style: '/player/player-00000000.css', preload: ['/player/a-00000000.js'] }
const wanted = { videoId: 'vid_x', api: '', assets, nonce: 'bm9uY2U=', cmcd: false, origins: ['https://cdn.example.com'] }

it('escapes the video id in its attribute', () => {
  const page = playerPage({ ...wanted, videoId: '"><script>alert(1)</script>' })
  expect(page).not.toContain('<script>alert')
  expect(page).toContain('data-video="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"')
})

it('has no inline script: the policy allows files alone', () => {
  const page = playerPage({ ...wanted, api: 'https://api.example.com' })
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).toContain('<script type="module" src="/player/player-00000000.js"></script>')
  expect(page).not.toMatch(/ on\w+=/)
})

it('states whether requests carry measurements', () => {
  expect(playerPage(wanted)).not.toContain('data-cmcd')
  expect(playerPage({ ...wanted, cmcd: true })).toContain('<main id="stage" data-state="loading" data-video="vid_x" data-api="" data-cmcd>')
})
