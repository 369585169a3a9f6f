import { expect, test } from 'vitest'
import { circlesOf } from '#handlers/domain/site-settings/redirect-circles.ts'
import type { SiteRedirect } from '#handlers/ports/host/site-settings.ts'

const rule = (from: string, to: string): SiteRedirect => ({ from, to, match: 'exact', status: 301 })
const chain = (length: number, end: string): SiteRedirect[] =>
  Array.from({ length }, (_, at) => rule(`/${at}`, at === length - 1 ? end : `/${at + 1}`))

test('a circle is found however long it is, and wherever it is entered', () => {
  expect(circlesOf(chain(2, '/0'), 'a.test')).toContain('/0')
  expect(circlesOf(chain(400, '/0'), 'a.test')).toContain('circle')
  expect(circlesOf([rule('/in', '/0'), ...chain(30, '/20')], 'a.test')).toContain('/20')
})

test('chains that end are none', () => {
  expect(circlesOf(chain(500, '/end'), 'a.test')).toBeNull()
  expect(circlesOf(chain(30, 'https://b.test/0'), 'a.test')).toBeNull()
})

test('addresses of the site itself count, but a site that is led to its own name', () => {
  expect(circlesOf([rule('/x', 'https://www.a.test/y'), rule('/y', '/x')], 'a.test')).not.toBeNull()
  const all: SiteRedirect = { from: '/', to: 'https://a.test/', match: 'prefix', status: 301 }
  expect(circlesOf([all], 'a.test')).toBeNull()
})
