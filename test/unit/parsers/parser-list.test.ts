import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALL_PARSERS } from '#test/support/parsers/all-parsers.ts'
import { findParsers } from '#test/support/parsers/find-parsers.ts'
import { NOT_LISTED } from '#test/support/parsers/not-listed.ts'

const found = findParsers(join(import.meta.dirname, '../../..'))
const listed = new Set(ALL_PARSERS.map(({ name }) => name))
const exempt = Object.values(NOT_LISTED).flat()
const fileOf = (name: string): string => name.split(' ')[0] ?? ''

test('every function that reads texts is listed, or not with a reason', () => {
  const files = new Set([...listed].map(fileOf))
  const known = new Set([...listed, ...exempt])
  const strangers = found.filter(
    (name) => !known.has(name) && !(name.endsWith(' *') && files.has(fileOf(name))),
  )
  expect(strangers).toEqual([])
})

test('a reason stands only for what is there and not listed', () => {
  const there = new Set(found)
  expect(exempt.filter((name) => !there.has(name) || listed.has(name))).toEqual([])
  expect(new Set(exempt).size).toBe(exempt.length)
})

test('each name stands in the list once', () => {
  expect(listed.size).toBe(ALL_PARSERS.length)
})
