import { describe, expect, it } from 'vitest'
import { personal } from './personal.ts'

const CODE = `export REELGATE_URL=https://video.example.com
export REELGATE_API_KEY=ak_live_…   # or ak_test_…
export VIDEO_ID=vid_3kTMd9cXv0dRr1gB7JmQeA
curl -X POST "$REELGATE_URL/v1/video/$VIDEO_ID/playback-token" -H "x-service-key: $REELGATE_API_KEY"`

describe('personal', () => {
  it('shows a signed-in reader the URL, the beginnings of keys and a video of theirs, and leaves the key in its variable', () => {
    const reader = { url: 'https://v.example.org', liveKey: 'ak_live_9fQ2', testKey: 'ak_test_Lk7g', videoId: 'vid_own' }
    expect(personal(CODE, reader)).toBe(`export REELGATE_URL=https://v.example.org
export REELGATE_API_KEY=ak_live_9fQ2…   # or ak_test_Lk7g…
export VIDEO_ID=vid_own
curl -X POST "https://v.example.org/v1/video/vid_own/playback-token" -H "x-service-key: $REELGATE_API_KEY"`)
  })

  it('keeps the placeholders of what a reader does not have', () => {
    const shown = personal(CODE, { url: 'https://v.example.org', liveKey: null, testKey: null, videoId: null })
    expect(shown).toBe(CODE.replace(/https:\/\/video\.example\.com|\$REELGATE_URL/g, 'https://v.example.org'))
  })

  it('leaves names that programs read, longer names and other hosts', () => {
    const program = 'const { REELGATE_URL, VIDEO_ID } = process.env // $VIDEO_IDS, https://video.example.community, vid_3kTM'
    expect(personal(program, { url: 'https://v.example.org', videoId: 'vid_own' })).toBe(program)
  })

  it('takes values literally', () => {
    expect(personal('$REELGATE_URL/', { url: "https://$&$'.example" })).toBe("https://$&$'.example/")
  })
})
