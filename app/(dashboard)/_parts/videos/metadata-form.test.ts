import { expect, test } from 'vitest'
import { enteredMetadata, isFull, metadataErrors, metadataValues } from './metadata-form'

test('a form states what it was filled with', () => {
  const stored = { metadata: { course: 'physics', lesson: '4' }, externalId: 'lesson-4' }
  expect(enteredMetadata(metadataValues(stored))).toEqual(stored)
  expect(enteredMetadata({ externalId: ' ', rows: [] })).toEqual({ metadata: {}, externalId: null })
})

test('errors are at the fields that have them', () => {
  const rows = [
    { name: 'a', text: '1' },
    { name: 'a', text: '2' },
    { name: '', text: '3' },
    { name: 'b', text: '' },
    { name: 'n'.repeat(41), text: '4' },
    { name: 'c', text: 'x'.repeat(501) },
  ]
  expect(metadataErrors({ externalId: 'x'.repeat(201), rows })).toEqual({
    externalId: expect.stringContaining('200'),
    'rows.1.name': 'This name occurs twice.',
    'rows.2.name': 'A metadata name must not be empty.',
    'rows.3.text': 'Enter a value, or remove the name.',
    'rows.4.name': expect.stringContaining('40'),
    'rows.5.text': expect.stringContaining('500'),
  })
  expect(metadataErrors({ externalId: '', rows: rows.slice(0, 1) })).toEqual({})
})

test('50 rows are all', () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ name: `${at}`, text: 'x' }))
  expect([isFull({ externalId: '', rows }), isFull({ externalId: '', rows: rows.slice(1) })]).toEqual([true, false])
})
