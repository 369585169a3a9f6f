import { expect, it } from 'vitest'
import { renderListing } from '#handlers/sites/listing/render-listing.ts'

it('shows files whatever time somebody gave them', async () => {
  const entry = { isDirectory: false, sizeBytes: 1 }
  const { body } = await renderListing('/', {
    kind: 'listed',
    more: false,
    entries: [
      { ...entry, name: 'far', mtimeMs: 9e15 },
      { ...entry, name: 'now', mtimeMs: 0 },
      { ...entry, name: 'before', mtimeMs: -1000 },
      { ...entry, name: 'first', mtimeMs: -9e15 },
    ],
  })
  const text = new TextDecoder().decode(body)
  expect(text).toContain('9999-12-31 23:59')
  expect(text).toContain('1970-01-01 00:00')
  expect(text).toContain('1969-12-31 23:59')
  expect(text).toContain('0001-01-01 00:00')
})
