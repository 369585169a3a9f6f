import { describe, expect, test } from 'vitest'
import { pageOf } from '#handlers/services/records/page-of.ts'

const ROWS = [
  { name: 'Blog', size: 7 },
  { name: 'shop', size: null },
  { name: 'wiki', size: 7 },
  { name: 'mail', size: 0 },
]
const HOW = {
  searched: ({ name }: (typeof ROWS)[number]) => [name],
  sortable: {
    name: ({ name }: (typeof ROWS)[number]) => name.toLowerCase(),
    size: ({ size }: (typeof ROWS)[number]) => size,
  },
}
const names = (query: Parameters<typeof pageOf>[1]) =>
  pageOf(ROWS, query, HOW).rows.map(({ name }) => name)

describe('a page of a list that is not in the store', () => {
  test('is everything in its order when nothing is asked', () => {
    expect(pageOf(ROWS, {}, HOW)).toEqual({ rows: ROWS, total: 4 })
    expect(names({ order: 'desc' })).toEqual(['mail', 'wiki', 'shop', 'Blog'])
  })

  test('is found without regard to case, and ordered; what is not known comes first', () => {
    expect(names({ q: 'BLO' })).toEqual(['Blog'])
    expect(names({ sort: 'name' })).toEqual(['Blog', 'mail', 'shop', 'wiki'])
    expect(names({ sort: 'size' })).toEqual(['shop', 'mail', 'Blog', 'wiki'])
    expect(names({ sort: 'size', order: 'desc' })).toEqual(['Blog', 'wiki', 'mail', 'shop'])
    expect(names({ sort: 'nothing' })).toEqual(['Blog', 'shop', 'wiki', 'mail'])
  })

  test('tells how many rows there are on all pages', () => {
    expect(pageOf(ROWS, { sort: 'name', page: 2, perPage: 3 }, HOW)).toEqual({
      rows: [ROWS[2]],
      total: 4,
    })
    expect(pageOf(ROWS, { page: 9, perPage: 3 }, HOW)).toEqual({ rows: [], total: 4 })
    expect(ROWS[0]?.name).toBe('Blog')
  })
})
