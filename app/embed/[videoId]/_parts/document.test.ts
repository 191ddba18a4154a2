import { expect, it } from 'vitest'
import { playerPage } from './document.ts'

const assets = { script: '/player/player-00000000.js', style: '/player/player-00000000.css', preload: ['/player/a-00000000.js'] }

it('lets no video id out of its attribute', () => {
  const page = playerPage({ videoId: '"><script>alert(1)</script>', api: '', assets })
  expect(page).not.toContain('<script>alert')
  expect(page).toContain('data-video="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"')
})

it('has no script of its own: the policy allows files alone', () => {
  const page = playerPage({ videoId: 'vid_x', api: 'https://api.example.com', assets })
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).toContain('<script type="module" src="/player/player-00000000.js"></script>')
  expect(page).not.toMatch(/ on\w+=/)
})
