import { expect, it } from 'vitest'
import {
  errorPageOf,
  headerOf,
  redirectLine,
  redirectOf,
} from '#handlers/domain/site-settings/setting-lines.ts'

it.each([
  ['301 /old /new', { from: '/old', match: 'exact', to: '/new', status: 301 }],
  [
    '307 /blog/* https://b.example/',
    { from: '/blog', match: 'prefix', to: 'https://b.example/', status: 307 },
  ],
  [
    '308 /* https://b.example/',
    { from: '/', match: 'prefix', to: 'https://b.example/', status: 308 },
  ],
] as const)('%s is a redirect, and is shown as one', (line, rule) => {
  expect(redirectOf(line)).toEqual(rule)
  expect(redirectLine(rule)).toBe(line)
})

it('what says nothing is told apart', () => {
  expect(redirectOf(' /old   /new ')).toMatchObject({ status: 301, to: '/new' })
  for (const line of ['/old', '200 /a /b', 'old /new', '301 /a /b /c', ''])
    expect(redirectOf(line), line).toBeNull()
  for (const line of ['X-A', ': b', 'X-A:', '']) expect(headerOf(line), line).toBeNull()
  for (const line of ['404', '200 /a', '404 a', '404 /a b'])
    expect(errorPageOf(line), line).toBeNull()
  expect(headerOf('X-A : b: c')).toEqual({ name: 'X-A', value: 'b: c' })
})
