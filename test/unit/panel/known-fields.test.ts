import { expect, test } from 'vitest'
import { z } from 'zod'
import { nearestField } from '#handlers/domain/text/nearest-field.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { checkFieldNames, fieldsOf } from '#handlers/panel/frame/known-fields.ts'
import { isStrict } from '#handlers/panel/frame/route.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'

const ROUTES = allRoutes({} as PanelDeps, {} as Services)

test.each([
  ['location', ['target'], 'target'],
  ['perPage', ['page', 'per_page'], 'per_page'],
  ['pasword', ['password'], 'password'],
  ['usernmae', ['username'], 'username'],
  ['password', ['db_name', 'db_password'], 'db_password'],
  ['days', ['retention_days'], 'retention_days'],
  ['note', ['what'], null],
  ['id', ['account_id'], null],
  ['x'.repeat(5000), ['target'], null],
  ['', ['target'], null],
])('%s of %j is %s', (name, known, meant) => {
  expect(nearestField(name, known, () => false)).toBe(meant)
})

test('a field that is given was not meant by another word', () => {
  expect(nearestField('location', ['target'], () => true)).toBeNull()
  expect(nearestField('targEt', ['target'], () => true)).toBe('target')
})

test('no more names are looked at than a request may have, however many it has', () => {
  const junk = Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`q${at}`, 0]))
  const schema = z.object({ username: z.string() })
  const lookAt = (value: unknown): void =>
    checkFieldNames(schema, value, { place: 'body', strict: false })
  expect(() => lookAt(junk)).toThrow('The body has 80000 fields. It takes username.')
  const few = Object.fromEntries(Object.entries(junk).slice(0, 100))
  expect(() => lookAt(few)).not.toThrow()
})

test('no field stands both in the body and in the query of a request', () => {
  const confused = ROUTES.flatMap((route) => {
    const names = [route.body, route.query].flatMap((schema) =>
      schema === undefined ? [] : Object.keys(fieldsOf(schema) ?? {}),
    )
    const doubled = names.filter((name, at) => names.indexOf(name) !== at)
    return doubled.map((name) => `${route.method} ${route.path} ${name}`)
  })
  expect(confused).toEqual([])
})

test('the fields of every body that changes something can be told', () => {
  const unknowable = ROUTES.filter(
    (route) => isStrict(route) && route.body !== undefined && fieldsOf(route.body) === null,
  )
  expect(unknowable.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

test('whatever removes, restores or replaces is strict', () => {
  const words = /delete|remove|restore|cleanup|purge|fix/
  const lax = ROUTES.filter(
    (route) => route.method !== 'GET' && words.test(route.path) && !isStrict(route),
  )
  expect(lax.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
