import { expect, test } from 'vitest'
import { mp4Name } from './filename.ts'

const names = (title: string) => ['720p', 'av1-1080p'].map((file) => mp4Name(title, file))

test.each([
  ['Lesson 4', ['Lesson 4 (720p).mp4', 'Lesson 4 (1080p, AV1).mp4']],
  ['Module 1/2: “what?”', ['Module 1 2 “what ” (720p).mp4', 'Module 1 2 “what ” (1080p, AV1).mp4']],
  ['...', ['video (720p).mp4', 'video (1080p, AV1).mp4']],
])('the MP4s of “%s” are named after the video and their rendition', (title, expected) => {
  expect(names(title)).toEqual(expected)
})

test.each(['x'.repeat(200), '海の朝'.repeat(60), '👩‍👩‍👧‍👦'.repeat(18), 'e\u0301\u0323'.repeat(66)])(
  'the MP4s of a long title keep their rendition in a name that fits: %s',
  (title) => {
    const [h264, av1] = names(title) as [string, string]
    expect(h264).toMatch(/ \(720p\)\.mp4$/)
    expect(av1).toMatch(/ \(1080p, AV1\)\.mp4$/)
    for (const name of [h264, av1]) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(title.startsWith(h264.replace(' (720p).mp4', ''))).toBe(true)
  },
)
