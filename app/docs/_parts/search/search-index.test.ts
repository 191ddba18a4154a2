import { describe, expect, it } from 'vitest'
import { excerptOf, SearchIndex } from './search-index.ts'

const entry = (href: string, title: string, text: string, page = title) => ({ href, title, page, text })

const index = new SearchIndex([
  entry('/docs', 'Quick start', 'Upload a video and play it on your page in four steps.'),
  entry('/docs#key', 'Create an API key', 'The key is shown once. Store it on your server.', 'Quick start'),
  entry('/docs/errors#VIDEO_NOT_FOUND', 'VIDEO_NOT_FOUND', 'There is no video with this id.', 'Errors'),
  entry('/docs/webhooks', 'Webhooks', 'Your server receives events, such as video.processing.completed.'),
])
const found = (query: string) => index.find(query).map(({ href }) => href)

describe('SearchIndex', () => {
  it('finds words by their beginning, those in titles first', () => {
    expect(found('webh')).toEqual(['/docs/webhooks'])
    expect(found('key')[0]).toBe('/docs#key')
  })

  it('finds error codes and names of events', () => {
    expect(found('VIDEO_NOT_FOUND')[0]).toBe('/docs/errors#VIDEO_NOT_FOUND')
    expect(found('video.processing.completed')[0]).toBe('/docs/webhooks')
  })

  it('permits a wrong letter in longer words', () => {
    expect(found('procesing')).toEqual(['/docs/webhooks'])
  })

  it('requires all words where a place has them, and otherwise any', () => {
    expect(found('server events')).toEqual(['/docs/webhooks'])
    expect(found('shown zebra')).toEqual(['/docs#key'])
    expect(found('zebra')).toEqual([])
  })
})

describe('excerptOf', () => {
  it('marks what was found, in text around it', () => {
    const text = `${'word '.repeat(60)}needle ${'word '.repeat(60)}`
    const excerpt = excerptOf(text, ['needle'])
    expect(excerpt.filter(({ isFound }) => isFound)).toEqual([{ text: 'needle', isFound: true }])
    expect(excerpt.map(({ text }) => text).join('').length).toBeLessThan(140)
  })

  it('returns the beginning where the words are in the title', () => {
    expect(excerptOf('Some text.', ['title'])).toEqual([{ text: 'Some text.', isFound: false }])
  })

  it('takes characters of patterns literally', () => {
    expect(excerptOf('a (b', ['(b'])).toEqual([
      { text: 'a ', isFound: false },
      { text: '(b', isFound: true },
    ])
  })
})
