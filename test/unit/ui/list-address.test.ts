import { describe, expect, test } from 'vitest'
import {
  isFiltered,
  listApiQuery,
  readListAddress,
  writeListAddress,
} from '../../../src/lib/state/lists/list-address.ts'

const SHAPE = {
  path: '/accounts',
  sorts: ['name', 'created_at'],
  sort: 'name',
  order: 'asc',
  filters: ['status'],
  columns: ['plan', 'email'],
} as const
const read = (query: string, remembered?: string) =>
  readListAddress(new URLSearchParams(query), SHAPE, remembered)
const again = (query: string) =>
  writeListAddress(new URLSearchParams(query), SHAPE, read(query)).toString()

describe('the address of a list', () => {
  test('is empty as long as the list is as at first', () => {
    expect(again('')).toBe('')
    expect(again('sort=name&order=asc&page=1&per_page=25&columns=plan.email&q=')).toBe('')
  })

  test('comes back as it was written', () => {
    for (const query of [
      'q=a+b',
      'status=active',
      'sort=created_at&order=desc',
      'order=desc&sort=name',
      'page=3',
      'per_page=100',
      'columns=email',
      'columns=',
    ])
      expect(read(again(query)), query).toEqual(read(query))
  })

  test('keeps what belongs to others', () => {
    expect(again('account=3&page=2')).toBe('account=3&page=2')
  })

  test('takes nonsense for nothing', () => {
    const usual = read('')
    for (const query of ['sort=password', 'page=-1', 'page=x', 'per_page=7', 'order=up', 'x=1'])
      expect(read(query), query).toEqual(usual)
    expect(read('columns=plan.nothing').columns).toEqual(['plan'])
  })

  test('wins over the columns that were remembered', () => {
    expect(read('', 'email').columns).toEqual(['email'])
    expect(read('columns=plan', 'email').columns).toEqual(['plan'])
  })

  test('asks the API for a page, with its own words for filters', () => {
    const address = read('q=x&status=active&page=2')
    expect(isFiltered(address)).toBe(true)
    expect(isFiltered(read('page=2'))).toBe(false)
    expect(listApiQuery(address).toString()).toBe(
      'page=2&per_page=25&sort=name&order=asc&q=x&status=active',
    )
    expect(listApiQuery(address, { state: 'on' }).get('state')).toBe('on')
  })
})
