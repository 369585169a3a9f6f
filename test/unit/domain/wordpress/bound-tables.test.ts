import { expect, test } from 'vitest'
import { withBound } from '#handlers/domain/wordpress/bound-tables.ts'

const ALL = [
  { name: 'a', bound_to: ['b'] },
  { name: 'b', bound_to: ['a', 'c'] },
  { name: 'c', bound_to: ['b', 'elsewhere'] },
  { name: 'd', bound_to: [] },
]

test('what keys bind comes along, also by way of others and where it is of no site', () => {
  expect(withBound(['a'], ALL)).toEqual(['a', 'b', 'c', 'elsewhere'])
  expect(withBound(['d', 'c'], ALL)).toEqual(['d', 'c', 'b', 'elsewhere', 'a'])
  expect(withBound([], ALL)).toEqual([])
  expect(withBound(['unknown'], ALL)).toEqual(['unknown'])
})
